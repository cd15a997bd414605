"""BLD-01: package.xml says what rosidl, ament and colcon want of a package that carries its own interfaces."""

import re
import xml.etree.ElementTree as ET

import pytest

import robotmem_ros


@pytest.fixture(scope='module')
def manifest(checkout):
    """The root element of package.xml."""
    return ET.parse(checkout / 'package.xml').getroot()


def test_name_is_the_package_and_the_project(manifest):
    assert manifest.findtext('name') == robotmem_ros.__name__ == 'robotmem_ros'


def test_version_is_the_same_in_the_manifest_the_module_and_setup(manifest, checkout, run_python):
    status, said = run_python('setup.py', '--version', cwd=checkout)
    assert status == 0, said
    assert manifest.findtext('version') == robotmem_ros.__version__ == said.split()[-1]


def test_maintainer_has_an_address_that_ament_accepts(manifest):
    address = manifest.find('maintainer').get('email')
    atom = '[-a-zA-Z0-9_%+]+'
    assert re.fullmatch(rf'{atom}(\.{atom})*@[-a-zA-Z0-9%]+(\.[-a-zA-Z0-9%]+)*\.[a-zA-Z]{{2,}}', address)


def test_it_is_an_ament_python_package_in_the_group_of_interface_packages(manifest):
    assert manifest.findtext('export/build_type') == 'ament_python'
    assert manifest.findtext('member_of_group') == 'rosidl_interface_packages'
    assert 'rosidl_default_generators' in [element.text for element in manifest.iter('buildtool_depend')]
    assert 'rosidl_default_runtime' in [element.text for element in manifest.iter('exec_depend')]


def test_no_top_level_folder_shadows_a_library(checkout):
    """A launch/__init__.py would make the root, when on the path, hide the launch library."""
    assert not [name for name in ('launch', 'msg', 'srv', 'config') if (checkout / name / '__init__.py').exists()]


def test_metadata_are_answered_without_any_work(copy_sources, run_python, tmp_path):
    """Colcon runs setup.py several times for its metadata: nothing may be built or written then."""
    copy = copy_sources(tmp_path / 'copy')
    before = sorted(copy.rglob('*'))
    status, said = run_python('-B', 'setup.py', '--name', '--version', cwd=copy)
    assert (status, said.split()) == (0, ['robotmem_ros', robotmem_ros.__version__])
    assert sorted(copy.rglob('*')) == before


def test_no_tool_skips_the_tests_of_the_build(checkout, run_python):
    """Folders named build are left out by git's usual ignore list, by pytest and by ruff, unless told otherwise."""
    here = 'test/build/test_manifest.py'
    assert here in run_python('-m', 'pytest', '--collect-only', '-q', '--confcutdir=test/build', 'test/build/..',
                              '--ignore-glob=test/[!b]*', cwd=checkout)[1]
    assert str(checkout / here) in run_python('-m', 'ruff', 'check', '--show-files', cwd=checkout)[1]
