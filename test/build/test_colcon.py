"""BLD-01: `colcon build` of the sources alone gives the whole package; `--symlink-install` gives none."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

# Run in a shell that sourced the workspace, where nothing of an older installation may answer.
CHECK = """
import sys
from pathlib import Path
from ament_index_python.packages import get_package_prefix
from ament_index_python.resources import get_resource
from rclpy.serialization import deserialize_message, serialize_message
import robotmem_ros, robotmem_ros.msg, robotmem_ros.srv
from robotmem_ros.srv import Learn

install = Path(sys.argv[1])
for module in (robotmem_ros, robotmem_ros.msg, robotmem_ros.srv):
    assert install in Path(module.__file__).parents, module.__file__
assert Path(get_package_prefix('robotmem_ros')) == install
assert 'srv/Learn.srv' in get_resource('rosidl_interfaces', 'robotmem_ros')[0]
asked = Learn.Request(insight='the door sticks')
assert deserialize_message(serialize_message(asked), Learn.Request) == asked and asked.confidence == 0.9
"""


@pytest.fixture(scope='module')
def workspace(copy_sources, tmp_path_factory):
    """A colcon workspace with the sources of this package and nothing else."""
    pytest.importorskip('colcon_ros', reason='colcon is not installed')
    folder = tmp_path_factory.mktemp('workspace')
    copy_sources(folder / 'src/robotmem_ros')
    return folder


def colcon_build(workspace, *options):
    """Run colcon as a person would who has no ROS 2 sourced but this Python's wheels."""
    env = {name: value for name, value in os.environ.items() if name not in ('PYTHONPATH', 'AMENT_PREFIX_PATH')}
    return subprocess.run([sys.executable, '-m', 'colcon', 'build', '--event-handlers', 'console_direct+', *options],
                          cwd=workspace, env=env, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def test_symlink_install_is_refused_and_leaves_no_half_package(workspace):
    result = colcon_build(workspace, '--symlink-install')
    assert result.returncode != 0
    assert 'error: robotmem_ros cannot be installed by --symlink-install' in result.stdout
    assert 'colcon-core#691' in result.stdout and 'Traceback' not in result.stdout
    left = [path for path in (workspace / 'install').rglob('*robotmem_ros*') if path.is_file() or path.is_symlink()]
    assert not [path for path in left if path.suffix in ('.py', '.so', '.egg-link', '.pth')]
    assert not (workspace / 'install/robotmem_ros/share/ament_index').exists(), 'no package that ROS 2 would find'


def test_plain_build_after_the_refusal_gives_the_whole_package(workspace):
    result = colcon_build(workspace)
    assert result.returncode == 0, result.stdout[-3000:]
    install = workspace / 'install/robotmem_ros'
    assert os.access(install / 'lib/robotmem_ros/memory_node', os.X_OK)
    assert (install / 'share/robotmem_ros/cmake/robotmem_rosConfig.cmake').is_file()
    (workspace / 'check.py').write_text(CHECK)
    sourced = subprocess.run([shutil.which('sh'), '-c', '. install/setup.sh && exec "$0" "$@"', sys.executable,
                              workspace / 'check.py', install], cwd=workspace, text=True, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert sourced.returncode == 0, sourced.stdout
