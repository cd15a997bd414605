"""The examples are packages of their own, and the C++ one compiles against the installed interfaces where rclcpp is."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import robotmem_ros


@pytest.fixture(scope='module')
def cpp(checkout):
    return checkout / 'examples' / 'cpp'


@pytest.fixture(scope='module')
def source(cpp):
    """All C++ of the example."""
    return ''.join(path.read_text() for path in sorted((cpp / 'src').iterdir()))


def prefixes():
    return [Path(entry) for entry in [*os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep), sys.prefix] if entry]


def test_the_build_of_this_package_does_not_see_them(checkout):
    """BLD-01: colcon stops at this package, and at COLCON_IGNORE; setuptools takes only what is named robotmem_ros."""
    from setuptools import find_packages

    assert (checkout / 'examples' / 'COLCON_IGNORE').is_file()
    taken = find_packages(checkout, include=['robotmem_ros', 'robotmem_ros.*'])
    assert taken and not [name for name in taken if 'example' in name]
    assert "include=[PACKAGE, f'{PACKAGE}.*']" in (checkout / 'setup.py').read_text()


def test_colcon_lists_one_package_here(checkout):
    pytest.importorskip('colcon_ros', reason='colcon is not installed')
    run = subprocess.run([sys.executable, '-m', 'colcon', '--log-base', os.devnull, 'list', '--names-only'],
                         cwd=checkout, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ['robotmem_ros']


def test_its_manifest_its_build_and_its_sources_name_the_same_packages(cpp, source):
    manifest = ET.parse(cpp / 'package.xml').getroot()
    depends = {element.text for element in manifest.iter('depend')}
    found = set(re.findall(r'find_package\((\w+) REQUIRED\)', (cpp / 'CMakeLists.txt').read_text())) - {'ament_cmake'}
    assert depends == found == set(re.findall(r'#include "(\w+)/', source))
    assert manifest.findtext('name') == re.search(r'project\((\w+)', (cpp / 'CMakeLists.txt').read_text())[1]
    assert manifest.findtext('version') == robotmem_ros.__version__


def test_it_fills_fields_that_exist(source):
    """Also where no compiler for it is there."""
    msg, srv = pytest.importorskip('robotmem_ros.msg'), pytest.importorskip('robotmem_ros.srv')
    requests = re.findall(r'^ +(\w+)::Request (\w+);', source, re.M)
    messages = re.findall(r'^ +(Perception|SituationFeature) (\w+);', source, re.M)
    assert len({name for _, name in requests + messages}) == len(requests + messages), 'one name, two types'
    made = {name: getattr(srv, kind).Request for kind, name in requests}
    made |= {name: getattr(msg, kind) for kind, name in messages}
    used = re.findall(rf'\b({"|".join(made)})\.(\w+) =', source)
    assert len(used) > 8
    assert [f'{name}.{field}' for name, field in used if field not in made[name].get_fields_and_field_types()] == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_compiles(cpp, tmp_path):
    if not any((prefix / 'share/rclcpp/cmake/rclcppConfig.cmake').is_file() for prefix in prefixes()):
        pytest.skip('rclcpp is not installed (PyPI has no wheel of it): the C++ example was not compiled')
    env = {**os.environ, 'PATH': os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']])}
    cmake = shutil.which('cmake', path=env['PATH'])
    places = [f'-DCMAKE_PREFIX_PATH={";".join(map(str, prefixes()))}', f'-DPython3_EXECUTABLE={sys.executable}']
    for step in (['-S', cpp, '-B', tmp_path, *places, '-DCMAKE_CXX_FLAGS=-Werror'], ['--build', tmp_path]):
        run = subprocess.run([cmake, *step], env=env, text=True, check=False, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        assert run.returncode == 0, run.stdout[-5000:]
    assert os.access(tmp_path / 'delivery_robot', os.X_OK)
