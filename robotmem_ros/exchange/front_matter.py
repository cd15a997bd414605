"""A Markdown file with front matter: YAML between two lines of three dashes, then a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from robotmem_ros.errors import InvalidRequest

FENCE = '---\n'


class _Loader(yaml.SafeLoader):
    """Times stay texts: YAML's own reading of them loses nanoseconds and zones."""


_Loader.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in resolvers if tag != 'tag:yaml.org,2002:timestamp']
    for sign, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Dumper(yaml.SafeDumper):
    """Texts with line ends of Unicode are quoted and escaped: unquoted, YAML reads them as blanks."""

    def text(self, value: str) -> yaml.ScalarNode:
        """Give a text in the style that keeps every sign."""
        style = '"' if any(sign in value for sign in '\x85\u2028\u2029') else None
        return self.represent_scalar('tag:yaml.org,2002:str', value, style)


_Dumper.add_representer(str, _Dumper.text)


def join(front: Mapping[str, Any], body: str) -> str:
    """Give the text of a file; the body begins after one blank line."""
    head = yaml.dump(dict(front), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10**6)
    return f'{FENCE}{head}{FENCE}\n{body}'


def split(text: str) -> tuple[dict[str, Any], str]:
    """Give the front matter and the text after it (less one blank line); no front matter gives an empty one.

    :raises InvalidRequest: if it cannot be read as a mapping, or does not end.
    """
    if not text.startswith((FENCE, '---\r\n')):
        return {}, text
    begin = text.index('\n') + 1
    end = text.find('\n---', begin - 1)
    after = text.find('\n', end + 1) if end >= 0 else -1
    if end < 0 or text[end + 4: len(text) if after < 0 else after].strip():
        raise InvalidRequest('front matter', 'a second line of three dashes', text)
    try:
        # A SafeLoader: plain values only.
        front = yaml.load(text[begin: end + 1], Loader=_Loader) or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidRequest('front matter', 'YAML', str(error).replace('\n', ' ')) from error
    if not isinstance(front, dict) or not all(isinstance(name, str) for name in front):
        raise InvalidRequest('front matter', 'names with values', front)
    body = '' if after < 0 else text[after + 1:]
    return front, body[2:] if body.startswith('\r\n') else body.removeprefix('\n')
