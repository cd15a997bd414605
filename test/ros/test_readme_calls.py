"""CLI-01: each call in the README can be pasted: its YAML fits the request, and on an empty memory it is served."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from robotmem_ros.ros.services import SERVICES

README = (Path(__file__).resolve().parents[2] / 'README.md').read_text('utf-8').replace('\\\n', ' ')
LINES = re.findall(r"^ros2 ((?:service call|topic pub) .+ '.*')", README, re.MULTILINE)
CALLS = [shlex.split(line) for line in LINES]
SERVICE_CALLS = [call[2:] for call in CALLS if call[:2] == ['service', 'call']]
PLACEHOLDER = 'THE_ID_FROM_START_SESSION'


def type_of(name: str) -> Any:
    """The class of an interface such as ``robotmem_ros/srv/Learn`` or ``geometry_msgs/Pose``."""
    package, *_, kind = name.split('/')
    return getattr(import_module(f'{package}.{"srv" if "/srv/" in name else "msg"}'), kind)


def fill(message: Any, values: dict[str, Any]) -> Any:
    """Set fields as ``ros2 service call`` does: numbers become what the field is, a list of maps becomes messages."""
    fields = message.get_fields_and_field_types()
    for field, value in values.items():
        of_one = re.fullmatch(r'sequence<(.+)>', fields[field])
        if of_one and '/' in of_one[1]:
            setattr(message, field, [fill(type_of(of_one[1])(), each) for each in value])
        elif '/' in fields[field]:
            fill(getattr(message, field), value)
        else:
            setattr(message, field, type(getattr(message, field))(value))
    return message


def test_there_is_a_call_for_every_service_and_it_names_its_type() -> None:
    types = {f'/robotmem/{service.name}': f'robotmem_ros/srv/{service.type.__name__}' for service in SERVICES}
    assert {name: kind for name, kind, _ in SERVICE_CALLS} == types


@pytest.mark.parametrize('call', CALLS, ids=lambda call: call[-3].removeprefix('/robotmem/'))
def test_what_is_given_fits_the_interface(call: list[str]) -> None:
    *_, kind, values = call
    interface = type_of(kind)
    fill(interface.Request() if '/srv/' in kind else interface(), yaml.safe_load(values))


def test_all_calls_are_served_in_their_order(world: Any) -> None:
    world.start()
    client = world.client()
    client.status()
    session, answers = '', []
    for name, kind, values in SERVICE_CALLS:
        request = fill(type_of(kind).Request(), yaml.safe_load(values.replace(PLACEHOLDER, session)))
        given = {field: getattr(request, field) for field in request.get_fields_and_field_types()}
        answer = client.call(type_of(kind), name, **given)
        assert (name, answer.success, answer.error) == (name, True, '')
        session = session or getattr(answer, 'session_id', '')
        answers.append(answer)
    recalled = [[memory.id for memory in answer.memories] for answer in answers if hasattr(answer, 'memories')]
    assert all(recalled), 'each recall of the README finds something'
