"""The SROS 2 policy allows what the node does, and nothing else."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope='module')
def profile(config: Path) -> ET.Element:
    (found,) = ET.parse(config / 'sros2' / 'policy.xml').getroot().iter('profile')
    return found


def full(profile: ET.Element, name: str) -> str:
    """Expand a name as the policy's templates do: private after ``~``, absolute after ``/``, else in the namespace."""
    namespace = profile.get('ns').rstrip('/')
    if name.startswith('~'):
        return f'{namespace}/{profile.get("node")}{name[1:]}'
    return name if name.startswith('/') else f'{namespace}/{name}'


def allowed(profile: ET.Element, kind: str, right: str) -> set[str]:
    groups = [group for group in profile.findall(kind) if group.get(right) == 'ALLOW']
    names = [full(profile, item.text) for group in groups for item in group]
    assert len(names) == len(set(names))
    return set(names)


@pytest.mark.parametrize(('kind', 'right', 'part'), [
    ('topics', 'publish', 'published'), ('topics', 'subscribe', 'subscribed'), ('services', 'reply', 'services'),
])
def test_each_name_of_the_running_node_is_allowed_and_no_other(
    profile: ET.Element, offer: Any, kind: str, right: str, part: str
) -> None:
    of_tf2 = set() if importlib.util.find_spec('tf2_ros') else {'/tf', '/tf_static'}
    assert allowed(profile, kind, right) - of_tf2 == set(getattr(offer, part))


def test_it_may_call_nobody(profile: ET.Element) -> None:
    """EXE-05: the node waits for no other node."""
    assert allowed(profile, 'services', 'request') == set()
    assert {group.tag for group in profile} == {'topics', 'services'}


def test_private_names_have_their_slash(profile: ET.Element) -> None:
    """``~name`` would become /robotmemname: the templates of SROS 2 put the rest behind the node's name as it is."""
    assert all(item.text.startswith(('~/', '/')) or item.text == 'amcl_pose' for group in profile for item in group)
