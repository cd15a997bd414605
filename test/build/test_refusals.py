"""BLD-01: what cannot give a whole package is refused in one sentence, and leaves none behind."""

import importlib.util
import sys

import pytest


@pytest.fixture
def setup_interfaces(copy_sources, tmp_path, monkeypatch):
    """The module of the build step, of a copy of the sources."""
    copy = copy_sources(tmp_path / 'copy')
    spec = importlib.util.spec_from_file_location('setup_interfaces_of_copy', copy / 'setup_interfaces.py')
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """An otherwise empty folder of programs that stand for compilers and CMake; the only ones on the path."""
    folder = tmp_path / 'bin'
    folder.mkdir()
    for name in ('cc', 'c++', 'cmake', 'ninja'):
        (folder / name).write_text('#!/bin/sh\nexit 0\n')
        (folder / name).chmod(0o755)
    monkeypatch.setenv('PATH', str(folder))
    monkeypatch.setattr(sys, 'executable', str(folder / 'python3'))
    return folder


def sentences(error: pytest.ExceptionInfo) -> list[str]:
    """Return the lines of an error's text."""
    return str(error.value).splitlines()


@pytest.mark.parametrize('program', ['cmake', 'cc'])
def test_missing_program_is_named(setup_interfaces, programs, tmp_path, program):
    (programs / program).unlink()
    with pytest.raises(setup_interfaces.InterfaceBuildError, match=f'built: missing {program}: ') as error:
        setup_interfaces.InterfaceBuild(tmp_path / 'work')
    assert len(sentences(error)) == 1 and not (tmp_path / 'work').exists()


def test_missing_generators_are_named(setup_interfaces, programs, tmp_path, monkeypatch):
    monkeypatch.setattr(setup_interfaces, 'MODULES', {'no_such_module': 'rosidl_default_generators'})
    monkeypatch.setattr(setup_interfaces, 'ament_prefixes', list)
    with pytest.raises(setup_interfaces.InterfaceBuildError, match='built: missing rosidl_default_generators: '):
        setup_interfaces.InterfaceBuild(tmp_path / 'work')


def test_failing_cmake_shows_the_log_and_its_end(setup_interfaces, programs, tmp_path):
    (programs / 'cmake').write_text('#!/bin/sh\necho "what went wrong"\nexit 3\n')
    build = setup_interfaces.InterfaceBuild(tmp_path / 'work')
    with pytest.raises(setup_interfaces.InterfaceBuildError) as error:
        build.stage_interfaces()
    first, *tail = sentences(error)
    assert 'status 3' in first and str(build.folder / 'log.txt') in first and tail == ['what went wrong']
    assert not (build.folder / 'stamp').exists(), 'a failed build must not count as done'


def test_rosidl_runs_again_only_when_what_it_reads_changed(setup_interfaces, programs, tmp_path):
    build = setup_interfaces.InterfaceBuild(tmp_path / 'work')
    runs = tmp_path / 'runs'
    (programs / 'cmake').write_text(f'#!/bin/sh\necho run >> {runs}\n')

    def runs_after(change=None):
        runs.write_text('')
        if change:
            with (tmp_path / 'copy' / change).open('a') as file:
                file.write('# changed\n')
        build.stage_interfaces()
        return len(runs.read_text().split())

    assert runs_after() == 2  # configure, build
    assert runs_after() == 0
    assert runs_after(change='robotmem_ros/__init__.py') == 0
    assert runs_after(change='msg/Memory.msg') == 2
    assert runs_after(change='srv/Learn.srv') == 2
    assert runs_after() == 0


def test_build_without_the_toolchain_fails_in_one_sentence(copy_sources, run_python, tmp_path):
    """The same through setup.py, as pip and colcon run it: a module that cannot be found, and no traceback."""
    copy = copy_sources(tmp_path / 'copy')
    hide = ('import sys, importlib.util as u; find = u.find_spec\n'
            'u.find_spec = lambda name, *rest: None if name == "lark" else find(name, *rest)\n'
            'sys.argv = ["setup.py", "build"]; exec(compile(open("setup.py").read(), "setup.py", "exec"))')
    status, said = run_python('-c', f'__file__ = "setup.py"\n{hide}', cwd=copy)
    assert status == 1 and 'Traceback' not in said
    last = said.strip().splitlines()[-1]
    assert last.startswith('error: the interfaces of robotmem_ros cannot be built: missing lark: ')
    assert not list(copy.glob('build/interfaces'))


@pytest.mark.parametrize('command', [['develop', '--no-deps'], ['editable_wheel']])
def test_editable_installation_is_refused(copy_sources, run_python, tmp_path, command):
    copy = copy_sources(tmp_path / 'copy')
    status, said = run_python('setup.py', *command, cwd=copy)
    assert status == 1 and 'Traceback' not in said
    assert said.strip().splitlines()[-1].startswith('error: robotmem_ros cannot be installed by --symlink-install')
