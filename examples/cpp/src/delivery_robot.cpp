// A robot's own node with a memory, to start yours from.
//
// It learns something at a pose, asks what is known before each task, is told unasked when a task comes back that it
// knows, and ends its session, also on Ctrl-C. In a workspace with robotmem_ros in src/:
//
//   colcon build --paths src/robotmem_ros src/robotmem_ros/examples/cpp && . install/setup.sh
//   ros2 run robotmem_example_cpp delivery_robot

#include <csignal>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "geometry_msgs/msg/pose_stamped.hpp"
#include "memory_client.hpp"
#include "rclcpp/rclcpp.hpp"
#include "robotmem_ros/msg/perception.hpp"
#include "robotmem_ros/msg/scene_hit.hpp"
#include "robotmem_ros/srv/end_session.hpp"
#include "robotmem_ros/srv/learn.hpp"
#include "robotmem_ros/srv/recall.hpp"
#include "robotmem_ros/srv/start_session.hpp"

using robotmem_ros::msg::Perception;
using robotmem_ros::msg::SceneHit;
using robotmem_ros::msg::SituationFeature;
using robotmem_ros::srv::EndSession;
using robotmem_ros::srv::Learn;
using robotmem_ros::srv::Recall;
using robotmem_ros::srv::StartSession;
using namespace std::chrono_literals;

namespace
{

volatile std::sig_atomic_t asked_to_leave = 0;

/// What this robot does, and where on its map (metres).
const std::map<std::string, std::pair<double, double>> TASKS = {{"deliver_parcel", {3.2, 1.0}}, {"charge", {0.4, 0.2}}};
const std::deque<std::string> ROUND = {"deliver_parcel", "charge", "deliver_parcel", "charge"};
const char LESSON[] = "The parcel shelf stands 0.4 m further left than on the map";

geometry_msgs::msg::PoseStamped pose_of(const std::string & task)
{
  geometry_msgs::msg::PoseStamped pose;
  pose.header.frame_id = "map";
  std::tie(pose.pose.position.x, pose.pose.position.y) = TASKS.at(task);
  return pose;
}

template<typename Memories>
std::string joined(const Memories & memories)
{
  std::string text;
  for (const auto & memory : memories) {
    text += (text.empty() ? "" : "; ") + memory.content;
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

/// Drives one round; `is_finished` when its session has ended.
class DeliveryRobot : public rclcpp::Node
{
public:
  DeliveryRobot()
  : Node("delivery_robot"), memory_(declare_parameter("memory", "/robotmem")),
    start_(*this, memory_ + "/start_session"), learn_(*this, memory_ + "/learn"),
    recall_(*this, memory_ + "/recall"), end_(*this, memory_ + "/end_session")
  {
    perceptions_ = create_publisher<Perception>(memory_ + "/perception", 10);
    hits_ = create_subscription<SceneHit>(
      memory_ + "/scene_hit", 10, [this](const SceneHit & hit) {on_scene_hit(hit);});
    look_timer_ = create_wall_timer(200ms, [this]() {look();});
  }

  bool is_finished() const {return is_finished_;}

private:
  void look()
  {
    if (asked_to_leave) {
      end();
    } else if (session_.empty() && !is_waiting_ && start_.is_there() && learn_.is_there() && recall_.is_there()) {
      is_waiting_ = true;
      StartSession::Request beginning;
      beginning.context = R"({"shift": "parcels"})";
      start_.ask(beginning, [this](auto answer) {on_session(answer);});
    }
  }

  void on_session(StartSession::Response::SharedPtr answer)
  {
    is_waiting_ = false;
    if (answer) {  // else the next look tries again
      session_ = answer->session_id;
      RCLCPP_INFO(
        get_logger(), "session %s; %ld memories", session_.c_str(), static_cast<long>(answer->active_memories_count));
      task_timer_ = create_wall_timer(2s, [this]() {next_task();});
    }
  }

  void next_task()
  {
    if (tasks_.empty()) {
      end();
      return;
    }
    const auto task = tasks_.front();
    tasks_.pop_front();
    // What holds now. Two of these visits make a scene, which brings back what was learned in it.
    SituationFeature feature;
    feature.kind = "task";
    feature.value = task;
    Perception perception;
    perception.source = get_name();
    perception.features = {feature};
    perceptions_->publish(perception);
    Recall::Request question;
    question.query = task;
    question.n = 3;
    question.near = pose_of(task);
    question.context_session = session_;  // what it recalled lately attracts what belongs to it
    recall_.ask(question, [this, task](auto answer) {on_recalled(task, answer);});
  }

  void on_recalled(const std::string & task, Recall::Response::SharedPtr answer)
  {
    const auto known = answer ? joined(answer->memories) : "nothing";
    RCLCPP_INFO(get_logger(), "before %s I know: %s", task.c_str(), known.c_str());
    if (task == "deliver_parcel") {
      // Again and again the same: it becomes one more occurrence of the one memory.
      Learn::Request lesson;
      lesson.insight = LESSON;
      lesson.category = "observation";
      lesson.context = R"({"task": "deliver_parcel"})";
      lesson.session_id = session_;
      lesson.pose = pose_of(task);
      learn_.ask(lesson, [this](auto learned) {on_learned(learned);});
    }
  }

  void on_learned(Learn::Response::SharedPtr answer)
  {
    if (answer) {
      RCLCPP_INFO(
        get_logger(), "learned: %s, memory %ld", answer->status.c_str(), static_cast<long>(answer->memory_id));
    }
  }

  void on_scene_hit(const SceneHit & hit)
  {
    RCLCPP_INFO(
      get_logger(), "unasked, visit %u to %s: %s", hit.strength, hit.key.c_str(), joined(hit.memories).c_str());
  }

  void end()
  {
    if (task_timer_) {
      task_timer_->cancel();
    }
    if (is_waiting_) {
      return;  // for the session, or for its end
    }
    is_waiting_ = true;
    if (session_.empty()) {
      on_ended(nullptr);
      return;
    }
    EndSession::Request ending;
    ending.session_id = session_;
    ending.has_outcome_score = true;
    ending.outcome_score = 1.0;
    end_.ask(ending, [this](auto answer) {on_ended(answer);});
  }

  void on_ended(EndSession::Response::SharedPtr answer)
  {
    if (answer) {
      RCLCPP_INFO(get_logger(), "session ended; what matters next: %zu memories", answer->related_memories.size());
    }
    is_finished_ = true;
  }

  std::string memory_, session_;
  std::deque<std::string> tasks_ = ROUND;
  bool is_waiting_ = false, is_finished_ = false;
  MemoryClient<StartSession> start_;
  MemoryClient<Learn> learn_;
  MemoryClient<Recall> recall_;
  MemoryClient<EndSession> end_;
  rclcpp::Publisher<Perception>::SharedPtr perceptions_;
  rclcpp::Subscription<SceneHit>::SharedPtr hits_;
  rclcpp::TimerBase::SharedPtr look_timer_, task_timer_;
};

int main(int argc, char ** argv)
{
  // With rclcpp's own handlers, nothing could be sent any more after Ctrl-C: the session would stay open.
  rclcpp::init(argc, argv, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
  for (const int number : {SIGINT, SIGTERM}) {
    std::signal(number, [](int) {asked_to_leave = 1;});
  }
  auto robot = std::make_shared<DeliveryRobot>();
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(robot);
  while (!robot->is_finished()) {
    executor.spin_once();
  }
  executor.remove_node(robot);
  robot.reset();
  rclcpp::shutdown();
}
