"""Starts the memory node and what shows it: ``ros2 launch robotmem_ros monitor.launch.py``, with all of its arguments.

``node:=false`` only looks at a node that runs already; ``rviz:=false`` and ``rqt:=true`` choose the windows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

SHARE = Path(__file__).resolve().parent.parent


def generate_launch_description() -> Any:
    """Declare the arguments, include the node and open the windows."""
    # Here and not above: a machine with ROS from wheels has no launch, and still byte-compiles this file.
    from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
    from launch.conditions import IfCondition
    from launch.launch_description_sources import PythonLaunchDescriptionSource
    from launch.substitutions import LaunchConfiguration

    from launch import LaunchDescription

    node = PythonLaunchDescriptionSource(str(SHARE / 'launch' / 'robotmem.launch.py'))
    return LaunchDescription([
        DeclareLaunchArgument('name', default_value='robotmem', description='name of the node'),
        DeclareLaunchArgument('namespace', default_value='', description='namespace of the node, such as robot1'),
        DeclareLaunchArgument('node', default_value='true', description='start the node, too'),
        DeclareLaunchArgument('rviz', default_value='true', description='open rviz2 with the memories on the map'),
        DeclareLaunchArgument('rqt', default_value='false', description='open rqt: diagnostics, topics, services'),
        DeclareLaunchArgument('use_sim_time', default_value='false', description='let the windows follow /clock'),
        IncludeLaunchDescription(node, condition=IfCondition(LaunchConfiguration('node'))),
        OpaqueFunction(function=open_windows),
    ])


def open_windows(context: Any) -> list[Any]:
    """Give the actions of the windows that are wanted and installed, and a line for those that are not."""
    from launch.actions import LogInfo
    from launch.substitutions import LaunchConfiguration
    from launch_ros.actions import Node
    from launch_ros.parameter_descriptions import ParameterValue

    def argument(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    full = '/'.join(('', *filter(None, argument('namespace').split('/')), argument('name')))
    sim_time = {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)}
    windows = {
        # The files name /robotmem; and rqt_robot_monitor listens to an aggregator, which most robots have not.
        'rviz': ('rviz2', 'rviz2', ['-d', 'robotmem.rviz'], [('/robotmem/markers', f'{full}/markers')]),
        'rqt': (
            'rqt_gui', 'rqt_gui', ['--perspective-file', 'robotmem.perspective'],
            [('/diagnostics_agg', '/diagnostics')],
        ),
    }
    actions: list[Any] = []
    for name, (package, executable, (option, file), remappings) in windows.items():
        if argument(name).lower() not in ('true', '1'):
            continue
        if not is_installed(package):
            archive = f'ros-$ROS_DISTRO-{package.replace("_", "-")}'
            actions.append(LogInfo(msg=f'no window of {package}: it is not installed (sudo apt install {archive})'))
            continue
        actions.append(Node(
            package=package, executable=executable, arguments=[option, str(SHARE / 'config' / file)],
            remappings=remappings, parameters=[sim_time], output='screen',
        ))
    return actions


def is_installed(package: str) -> bool:
    """Whether a package is in the environment."""
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True

