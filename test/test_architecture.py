"""The tables of docs/architecture.md against the imports: which layer may import which, and which library."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = 'robotmem_ros'
SOURCE = ROOT / PACKAGE
PAGE = (ROOT / 'docs' / 'architecture.md').read_text('utf-8')
GENERATED = ('msg', 'srv')


def table(name: str) -> list[list[list[str]]]:
    """The rows of a marked table: for each cell the names in it."""
    lines = PAGE.split(f'<!-- {name}:')[1].split(f'<!-- end of {name} -->')[0].splitlines()
    rows = [line.strip('|').split('|') for line in lines if line.startswith('| `')]
    return [[re.findall(r'`([^`]+)`', cell) for cell in row] for row in rows]


LAYER_OF = {module: layer[0] for layer, modules, _ in table('layers') for module in modules}
MAY_IMPORT = {layer[0]: {*layer, *others} for layer, _, others in table('layers')}
ONLY = {library: set(layers) for libraries, layers in table('libraries') for library in libraries}


@cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name below the package; a folder's ``__init__`` goes by the folder's name."""
    found = {}
    for path in SOURCE.rglob('*.py'):
        parts = path.relative_to(SOURCE).with_suffix('').parts
        if parts[0] not in GENERATED:
            found['.'.join(parts[:-1] if len(parts) > 1 and parts[-1] == '__init__' else parts)] = path
    return found


@cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """All that a module imports, as dotted names whose last part may be no module; and whether when it is loaded."""
    return tuple(found_below(ast.parse(path.read_text('utf-8')), path.relative_to(ROOT).parent.parts, True))


def found_below(node: ast.AST, package: tuple[str, ...], at_load: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, at_load) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = [*package[:len(package) - node.level + 1], node.module] if node.level else [node.module]
        yield from (('.'.join(filter(None, (*base, alias.name))), at_load) for alias in node.names)
    at_load = at_load and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for child in ast.iter_child_nodes(node):
        yield from found_below(child, package, at_load)


def own_imports(path: Path, only_at_load: bool = False) -> set[str]:
    """The modules of the package that a module imports."""
    found = set()
    for name, at_load in imports(path):
        head, _, rest = name.partition('.')
        if head == PACKAGE and rest.split('.')[0] not in GENERATED and (at_load or not only_at_load):
            found.add(rest if rest in modules() else rest.rpartition('.')[0] or '__init__')
    return found


def layer_of(module: str) -> str:
    head, _, rest = module.partition('.')
    return LAYER_OF.get(f'{head}/' if rest or (SOURCE / head).is_dir() else head, '')


def test_every_module_stands_in_one_layer_and_every_name_is_a_module() -> None:
    """A new module of robotmem_ros/ wants a layer: add its name to the table in docs/architecture.md."""
    names = [module for _, modules_, _ in table('layers') for module in modules_]
    there = {f'{p.name}/' if p.is_dir() else p.stem for p in SOURCE.iterdir() if p.suffix == '.py' or p.is_dir()}
    assert sorted(names) == sorted(there - {'__pycache__/', *(f'{name}/' for name in GENERATED)})


@pytest.mark.parametrize('layer', sorted(MAY_IMPORT))
def test_a_layer_imports_only_what_the_table_allows(layer: str) -> None:
    mine = {module: path for module, path in modules().items() if layer_of(module) == layer}
    assert mine
    wrong = [f'{module} -> {other}' for module, path in mine.items() for other in own_imports(path)
             if layer_of(other) not in MAY_IMPORT[layer]]
    assert wrong == []


@pytest.mark.parametrize('layer', sorted(MAY_IMPORT))
def test_the_table_allows_no_more_than_what_is_used(layer: str) -> None:
    """So that the page shows what is, and not what could be."""
    used = {layer_of(other) for module, path in modules().items() if layer_of(module) == layer
            for other in own_imports(path)}
    assert MAY_IMPORT[layer] - {layer} <= used


@pytest.mark.parametrize('library', sorted(ONLY))
def test_a_library_is_known_to_its_layers_only(library: str) -> None:
    users = {layer_of(module) for module, path in modules().items()
             if any(name.split('.')[0] == library for name, _ in imports(path))}
    assert users <= ONLY[library]


def test_no_modules_wait_for_each_other_while_they_are_loaded() -> None:
    graph = {module: own_imports(path, only_at_load=True) - {module} for module, path in modules().items()}
    TopologicalSorter(graph).prepare()
