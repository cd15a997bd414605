"""
The build step of setup.py: generate the package's own messages and services with the distribution's rosidl.

An ament_python package has no CMake, and rosidl has nothing else (ros2/rosidl_python#141). So the step stages
``msg/``, ``srv/`` and ``package.xml`` beside a small generated CMakeLists.txt in the build folder, runs
``rosidl_generate_interfaces`` there, and adds what comes out to what setuptools installs anyway. Everything of it
lies under ``<build>/interfaces/<key of the toolchain>``: ``src``, ``build``, ``stage``, ``log.txt``, ``stamp``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from setuptools import Distribution
from setuptools.command.build_py import build_py
from setuptools.command.develop import develop
from setuptools.command.editable_wheel import editable_wheel
from setuptools.errors import BaseError

PACKAGE = 'robotmem_ros'
ROOT = Path(__file__).resolve().parent

# Everything whose change makes the generated code another one.
SOURCES = ('msg', 'srv', 'package.xml', 'setup.py', 'setup_interfaces.py')

# Module that the generators import -> what a person installs to have it.
MODULES = {'rosidl_adapter': 'rosidl_default_generators', 'rosidl_generator_py': 'rosidl_default_generators',
           'ament_package': 'ament_package', 'catkin_pkg': 'catkin_pkg', 'em': 'empy', 'lark': 'lark', 'numpy': 'numpy'}

CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.20)
project({package})
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(builtin_interfaces REQUIRED)
find_package(geometry_msgs REQUIRED)
find_package(service_msgs REQUIRED)
find_package(std_msgs REQUIRED)
# The exported targets of the wheels name include directories of the machine that made the wheels; CMake refuses them.
get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS targets)
  get_target_property(directories ${{target}} INTERFACE_INCLUDE_DIRECTORIES)
  set(existing "")
  foreach(directory IN LISTS directories)
    # A generator expression is not a path yet: it is kept.
    if(directory MATCHES "^\\\\$<" OR EXISTS "${{directory}}")
      list(APPEND existing "${{directory}}")
    endif()
  endforeach()
  if(directories)
    set_target_properties(${{target}} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${{existing}}")
  endif()
endforeach()
rosidl_generate_interfaces(${{PROJECT_NAME}} {interfaces} DEPENDENCIES builtin_interfaces geometry_msgs std_msgs)
ament_export_dependencies(rosidl_default_runtime)
ament_package()
"""

SYMLINK_REFUSAL = (
    f'{PACKAGE} cannot be installed by --symlink-install or in editable mode, because colcon and pip then skip the '
    'step that generates its interfaces (colcon/colcon-core#691): use plain "colcon build" or "pip install ."'
)


class InterfaceBuildError(BaseError):
    """The interfaces cannot be built; setuptools prints the one sentence and stops with status 1."""


class BuildInterfaces(build_py):
    """``build_py``, and then the generated interfaces beside the modules of the source tree."""

    def run(self) -> None:
        """Copy the modules into an empty package folder, then add what rosidl generates from ``msg`` and ``srv``."""
        package_dir = Path(self.build_lib) / PACKAGE
        # build_py only ever adds: a module that the source no longer has would be installed for ever.
        shutil.rmtree(package_dir, ignore_errors=True)
        super().run()
        self.generated: list[str] = []
        if self.editable_mode:
            raise InterfaceBuildError(SYMLINK_REFUSAL)
        workspace = Path(self.build_lib).resolve().parent / 'interfaces'
        stage = InterfaceBuild(workspace).stage_interfaces()
        self._add_modules(stage / 'python' / PACKAGE, package_dir)
        self.distribution.data_files += staged_data_files(stage)
        if self.distribution.get_command_obj('bdist_wheel', create=False):
            self.distribution.data_files.append((f'lib/{PACKAGE}', self._write_launchers(stage.parent / 'launchers')))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Name the generated files too, so that colcon's install log removes them again."""
        return super().get_outputs(include_bytecode) + getattr(self, 'generated', [])

    def _write_launchers(self, folder: Path) -> list[str]:
        # `ros2 run` looks in lib/<package>, where setup.cfg makes colcon put the scripts; a wheel knows bin/ alone.
        folder.mkdir(exist_ok=True)
        launchers = []
        for name in (entry.split('=')[0].strip() for entry in self.distribution.entry_points['console_scripts']):
            launcher = folder / name
            launcher.write_text(f'#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/../../bin/{name}" "$@"\n')
            launcher.chmod(0o755)
            launchers.append(str(launcher))
        return launchers

    def _add_modules(self, generated: Path, package_dir: Path) -> None:
        # Never the generator's own __init__.py: it is empty, and would replace ours.
        wanted = [*generated.glob('msg/*.py'), *generated.glob('srv/*.py'), *generated.glob('*.so')]
        for source in sorted(wanted):
            target = package_dir / source.relative_to(generated)
            self.mkpath(str(target.parent))
            shutil.copy(source, target)
            self.generated.append(str(target))


class InterfaceBuild:
    """One run of rosidl for one toolchain, skipped where neither that nor the interfaces have changed."""

    def __init__(self, workspace: Path) -> None:
        """Look for the toolchain. Raise InterfaceBuildError where part of it is missing."""
        # The programs of a virtual environment count also where it is not activated.
        self.path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get('PATH', os.defpath)])
        self.prefixes = ament_prefixes()
        self._require_toolchain()
        digest = hashlib.sha256(repr((sys.version, self.prefixes)).encode())
        for prefix in self.prefixes:
            digest.update(content_of(Path(prefix) / 'share/rosidl_generator_py/package.xml'))
        # Kilted and Jazzy may share one checkout: each keeps its own result.
        self.folder = workspace / digest.hexdigest()[:12]

    def stage_interfaces(self) -> Path:
        """Return the folder that holds the installed form of the interfaces, generated anew where needed."""
        stamp, stage = self.folder / 'stamp', self.folder / 'stage'
        digest = source_digest()
        if stamp.is_file() and stamp.read_text() == digest:
            return stage
        shutil.rmtree(self.folder, ignore_errors=True)
        self._write_project(self.folder / 'src')
        print(f'generating the interfaces of {PACKAGE} (about a minute; log: {self.folder / "log.txt"})', flush=True)
        generator = ['-G', 'Ninja'] if shutil.which('ninja', path=self.path) else []
        self._cmake('-S', self.folder / 'src', '-B', self.folder / 'build', *generator,
                    f'-DCMAKE_INSTALL_PREFIX={stage}', f'-DCMAKE_PREFIX_PATH={";".join(self.prefixes)}',
                    f'-DPython3_EXECUTABLE={sys.executable}', '-DPYTHON_INSTALL_DIR=python',
                    '-DCMAKE_INSTALL_LIBDIR=lib', '-DCMAKE_BUILD_TYPE=Release', '-DBUILD_TESTING=OFF')
        self._cmake('--build', self.folder / 'build', '--target', 'install', '--parallel', str(os.cpu_count() or 1))
        stamp.write_text(digest)
        return stage

    def _require_toolchain(self) -> None:
        missing = [name for module, name in MODULES.items() if importlib.util.find_spec(module) is None]
        if not any((Path(prefix) / 'share/rosidl_default_generators/cmake').is_dir() for prefix in self.prefixes):
            missing.append('rosidl_default_generators')
        compilers = [os.environ[name] for name in ('CC', 'CXX') if os.environ.get(name)] or ['cc', 'c++']
        missing += [program for program in ('cmake', *compilers)
                    if shutil.which(program.split()[0], path=self.path) is None]
        if not any(shutil.which(program, path=self.path) for program in ('ninja', 'make')):
            missing.append('ninja or make')
        if missing:
            names = ', '.join(dict.fromkeys(missing))
            fail(f'missing {names}: source ROS 2 or run "make install" (and give pip --no-build-isolation)')

    def _write_project(self, source: Path) -> None:
        source.mkdir(parents=True)
        for folder in ('msg', 'srv'):
            shutil.copytree(ROOT / folder, source / folder)
        shutil.copy(ROOT / 'package.xml', source)
        interfaces = ' '.join(f'"{path.relative_to(source)}"' for path in interface_files(source))
        (source / 'CMakeLists.txt').write_text(CMAKE_LISTS.format(package=PACKAGE, interfaces=interfaces))

    def _cmake(self, *arguments: str | Path) -> None:
        env = dict(os.environ, PATH=self.path, AMENT_PREFIX_PATH=os.pathsep.join(self.prefixes))
        # colcon makes Python believe in another prefix; the generators need the real one.
        env['PYTHONPATH'] = os.pathsep.join(entry for entry in sys.path if entry and not is_prefix_override(entry))
        log = self.folder / 'log.txt'
        with log.open('ab') as output:
            result = subprocess.run(['cmake', *map(str, arguments)], env=env, stdout=output, stderr=subprocess.STDOUT,
                                    check=False, executable=shutil.which('cmake', path=self.path))
        if result.returncode:
            tail = log.read_text(errors='replace').splitlines()[-15:]
            fail('\n'.join([f'rosidl failed with status {result.returncode}; the whole log is {log}, its end:', *tail]))


class RefuseDevelop(develop):
    """``setup.py develop``, which ``colcon build --symlink-install`` runs: refused, but for undoing an older one."""

    def run(self) -> None:
        """Raise InterfaceBuildError, except where colcon undoes an earlier develop."""
        if not self.uninstall:
            raise InterfaceBuildError(SYMLINK_REFUSAL)
        super().run()


class RefuseEditable(editable_wheel):
    """``pip install --editable``: refused."""

    def run(self) -> None:
        """Raise InterfaceBuildError."""
        raise InterfaceBuildError(SYMLINK_REFUSAL)


class BinaryDistribution(Distribution):
    """A distribution of one platform and Python: the type support is compiled, though setuptools has not done it."""

    def has_ext_modules(self) -> bool:
        """Make setuptools tag the wheel for this platform."""
        return True


def fail(reason: str) -> NoReturn:
    """Raise InterfaceBuildError with the package's name before the reason."""
    raise InterfaceBuildError(f'the interfaces of {PACKAGE} cannot be built: {reason}')


def ament_prefixes() -> list[str]:
    """Return where ROS 2 is installed: what is sourced, then this Python's own prefix where it holds ROS wheels."""
    sourced = [entry for entry in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if entry]
    own = getattr(sys, 'real_prefix', sys.prefix)  # colcon sets sys.prefix to where it installs
    prefixes = dict.fromkeys([*sourced, own])
    return [prefix for prefix in prefixes if (Path(prefix) / 'share/ament_index').is_dir()]


def is_prefix_override(entry: str) -> bool:
    """Tell whether a folder on the path is colcon's, with the sitecustomize that changes ``sys.prefix``."""
    return Path(entry).name == 'prefix_override'


def interface_files(root: Path) -> list[Path]:
    """Return the interface definitions under root, sorted."""
    return sorted([*root.glob('msg/*.msg'), *root.glob('srv/*.srv')])


def content_of(path: Path) -> bytes:
    """Return the bytes of a file, none where it is missing."""
    return path.read_bytes() if path.is_file() else b''


def source_digest() -> str:
    """Return the SHA-256 over everything that the interfaces are generated from."""
    digest = hashlib.sha256()
    for source in (ROOT / name for name in SOURCES):
        for path in sorted(source.iterdir()) if source.is_dir() else [source]:
            digest.update(path.name.encode() + b'\0' + hashlib.sha256(content_of(path)).digest())
    return digest.hexdigest()


def staged_data_files(stage: Path) -> list[tuple[str, list[str]]]:
    """Return the staged libraries, headers, definitions, cmake exports and index entries in the form of data_files."""
    # Written by setup.py itself, or (environment hooks, setup files) by colcon and for the prefix of the staging.
    ours = {f'share/{PACKAGE}/package.xml', f'share/ament_index/resource_index/packages/{PACKAGE}'}
    folders: dict[str, list[str]] = {}
    for path in sorted(path for path in stage.rglob('*') if path.is_file()):
        place = path.relative_to(stage)
        environment = place.match(f'share/{PACKAGE}/environment/*') or place.match(f'share/{PACKAGE}/*setup.*') \
            or place.match(f'share/{PACKAGE}/package.dsv') or place.match('share/ament_index/*/parent_prefix_path/*')
        if place.parts[0] != 'python' and str(place) not in ours and not environment:
            folders.setdefault(str(place.parent), []).append(str(path))
    return list(folders.items())
