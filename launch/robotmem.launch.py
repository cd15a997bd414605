"""Starts the memory node: ``ros2 launch robotmem_ros robotmem.launch.py name:=memory db_path:=~/site.db``."""

from __future__ import annotations

from typing import Any


def generate_launch_description() -> Any:
    """Declare the arguments and start one node with them."""
    # Here and not above: a machine with ROS from wheels has no launch, and still byte-compiles this file.
    from launch.actions import DeclareLaunchArgument, OpaqueFunction
    from launch.substitutions import PathJoinSubstitution
    from launch_ros.substitutions import FindPackageShare

    from launch import LaunchDescription

    config = PathJoinSubstitution([FindPackageShare('robotmem_ros'), 'config', 'robotmem.yaml'])
    return LaunchDescription([
        DeclareLaunchArgument('name', default_value='robotmem', description='name of the node'),
        DeclareLaunchArgument('namespace', default_value='', description='namespace of the node, such as robot1'),
        DeclareLaunchArgument('params_file', default_value=config, description='parameters, keyed to /**'),
        DeclareLaunchArgument('db_path', default_value='', description='database file; empty: as in params_file'),
        DeclareLaunchArgument('collection', default_value='', description='name space; empty: as in params_file'),
        DeclareLaunchArgument('autostart', default_value='true', description='configure and activate at start'),
        DeclareLaunchArgument('respawn', default_value='false', description='start it again when it has died'),
        DeclareLaunchArgument('log_level', default_value='info', description='debug, info, warn, error or fatal'),
        OpaqueFunction(function=start_node),
    ])


def start_node(context: Any) -> list[Any]:
    """Give the node's action, once the arguments have their values."""
    from launch.substitutions import LaunchConfiguration
    from launch_ros.actions import Node
    from launch_ros.parameter_descriptions import ParameterValue

    def argument(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    overrides: dict[str, Any] = {'autostart': ParameterValue(LaunchConfiguration('autostart'), value_type=bool)}
    for name in ('db_path', 'collection'):
        if argument(name):
            # As text whatever it looks like: else 007 becomes 7, and on becomes true (PAR-02).
            overrides[name] = ParameterValue(argument(name), value_type=str)
    return [Node(
        package='robotmem_ros', executable='memory_node', name=argument('name'), namespace=argument('namespace'),
        parameters=[argument('params_file'), overrides], output='screen', emulate_tty=True,
        arguments=['--ros-args', '--log-level', argument('log_level')],
        respawn=argument('respawn') == 'true', respawn_delay=1.0,
    )]
