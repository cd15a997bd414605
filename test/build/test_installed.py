"""BLD-01: what lies in the prefix after an installation is a whole ROS 2 package, found from anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = ('generator_c', 'generator_py', 'typesupport_c', 'typesupport_cpp', 'typesupport_fastrtps_c',
             'typesupport_fastrtps_cpp', 'typesupport_introspection_c', 'typesupport_introspection_cpp')
WHERE = 'import robotmem_ros, robotmem_ros.msg as m, robotmem_ros.srv; m.Memory(); ' \
        'print(robotmem_ros.__file__, m.__file__, robotmem_ros.__version__)'


@pytest.mark.parametrize('library', LIBRARIES)
def test_each_library_of_the_interfaces_is_installed(prefix, library):
    assert (prefix / f'lib/librobotmem_ros__rosidl_{library}.so').is_file()


def test_definitions_are_installed_in_every_form(prefix, checkout):
    share = prefix / 'share/robotmem_ros'
    for source in [*(checkout / 'msg').glob('*.msg'), *(checkout / 'srv').glob('*.srv')]:
        place = share / source.parent.name / source.name
        assert place.read_text() == source.read_text(), 'the installed interfaces are not those of the sources'
        assert place.with_suffix('.idl').is_file() and place.with_suffix('.json').is_file()


def test_other_packages_can_build_against_it(prefix):
    assert (prefix / 'share/robotmem_ros/cmake/robotmem_rosConfig.cmake').is_file()
    assert (prefix / 'include/robotmem_ros/robotmem_ros/msg/memory.hpp').is_file()


def test_the_index_knows_the_package_and_its_interfaces(prefix):
    index = prefix / 'share/ament_index/resource_index'
    assert (index / 'packages/robotmem_ros').is_file()
    assert (prefix / 'share/robotmem_ros/package.xml').is_file()
    listed = (index / 'rosidl_interfaces/robotmem_ros').read_text().split()
    assert 'msg/Memory.msg' in listed and 'srv/Recall.srv' in listed


def test_launch_and_config_are_installed_as_they_are(prefix, checkout):
    sources = [path for folder in ('launch', 'config') for path in (checkout / folder).rglob('*')
               if path.is_file() and path.suffix != '.pyc']
    for source in sources:
        assert (prefix / 'share/robotmem_ros' / source.relative_to(checkout)).read_bytes() == source.read_bytes()


@pytest.mark.parametrize('name', ['memory_node', 'robotmem'])
def test_ros2_run_finds_the_executables(prefix, name):
    """Ros2 run looks in lib/<package>; a wheel puts scripts into bin/ alone."""
    executable = prefix / 'lib/robotmem_ros' / name
    assert os.access(executable, os.X_OK)
    assert (prefix / 'bin' / name).is_file(), 'what the launcher starts'


def test_our_module_is_not_the_generators_empty_one(prefix):
    module = next(prefix.glob('lib/python*/*-packages/robotmem_ros/__init__.py'))
    assert '__version__' in module.read_text()


@pytest.mark.parametrize('options', [[], ['-P']] if sys.version_info >= (3, 11) else [[]])
@pytest.mark.parametrize('place', ['root', 'elsewhere'])
def test_interfaces_are_importable_from_everywhere(checkout, tmp_path, place, options):
    """From the root the source modules come first, and must still find the generated ones."""
    env = {name: value for name, value in os.environ.items() if name not in ('PYTHONSAFEPATH', 'PYTHONPATH')}
    cwd = checkout if place == 'root' else tmp_path
    said = subprocess.run([sys.executable, *options, '-c', WHERE], cwd=cwd, env=env, text=True, check=True,
                          capture_output=True).stdout.split()
    from_source = place == 'root' and not options
    assert (Path(said[0]).parents[1] == checkout) == from_source
    assert Path(said[1]).parents[2] != checkout
