"""Write the table of parameters in the README anew from settings.py; a test fails where the two differ."""

from __future__ import annotations

from pathlib import Path

from robotmem_ros.ros.specs import Spec, all_specs

README = Path(__file__).resolve().parent.parent / 'README.md'
BEGIN, END = '<!-- parameters: written by tools/parameters_table.py -->', '<!-- end of parameters -->'


def table() -> str:
    """Give the table as Markdown."""
    rows = [f'| `{spec.name}` | {_default(spec)} | {spec.description} |' for spec in all_specs()]
    return '\n'.join(['| parameter | default | what |', '|---|---|---|', *rows])


def _default(spec: Spec) -> str:
    value = ', '.join(spec.default) if isinstance(spec.default, tuple) else spec.default
    return f'`{str(value).lower() if isinstance(value, bool) else value}`' if value != '' else ''


def main() -> None:
    """Replace what stands between the two marks."""
    text = README.read_text('utf-8')
    before, rest = text.split(BEGIN)
    README.write_text(f'{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}', 'utf-8')


if __name__ == '__main__':
    main()
