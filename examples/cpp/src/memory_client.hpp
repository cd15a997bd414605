// The memory as a node of yours sees it: questions go out, answers come to a callback, nothing waits.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "rclcpp/rclcpp.hpp"

/// Client of one service of the memory.
///
/// A callback that waited for an answer would hold the executor that has to deliver it: the node would stand still for
/// ever. So `ask` returns at once, and the executor calls `then`.
template<typename Service>
class MemoryClient
{
public:
  using Request = typename Service::Request;
  using Response = typename Service::Response::SharedPtr;
  /// Takes the response, or null where the request was refused or no answer came; the log says why.
  using Then = std::function<void (Response)>;

  /// \param name of the service, such as /robotmem/learn
  MemoryClient(rclcpp::Node & node, const std::string & name)
  : node_(node), name_(name),
    // Every client of a service receives the answers to all of them: with a depth of 10 they push out its own.
    client_(node.create_client<Service>(name, rclcpp::ServicesQoS().keep_last(100)))
  {
  }

  bool is_there() const {return client_->service_is_ready();}

  /// Send a request, and call `then` once with what came of it.
  void ask(const Request & request, Then then)
  {
    auto question = std::make_shared<Question>();
    question->then = std::move(then);
    auto sent = client_->async_send_request(
      std::make_shared<Request>(request),
      [this, question](typename rclcpp::Client<Service>::SharedFuture answer) {
        question->timer->cancel();
        question->then(checked(answer.get()));
      });
    // A memory that was stopped must not stop its robot. Wall time: it also passes while a simulation stands still.
    question->timer = node_.create_wall_timer(
      std::chrono::seconds(5), [this, weak = std::weak_ptr<Question>(question), id = sent.request_id]() {
        if (auto asked = weak.lock()) {
          asked->timer->cancel();
          client_->remove_pending_request(id);
          RCLCPP_ERROR(node_.get_logger(), "%s: no answer within 5 s", name_.c_str());
          asked->then(nullptr);
        }
      });
  }

private:
  struct Question
  {
    Then then;
    rclcpp::TimerBase::SharedPtr timer;
  };

  Response checked(Response response) const
  {
    if (!response->success) {
      RCLCPP_ERROR(node_.get_logger(), "%s: %s", name_.c_str(), response->error.c_str());
      return nullptr;
    }
    if (!response->warning.empty()) {
      RCLCPP_WARN(node_.get_logger(), "%s: %s", name_.c_str(), response->warning.c_str());
    }
    return response;
  }

  rclcpp::Node & node_;
  std::string name_;
  typename rclcpp::Client<Service>::SharedPtr client_;
};
