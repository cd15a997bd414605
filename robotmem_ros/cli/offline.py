"""The same requests, served from a file instead of by the node: through the node's own handlers, without ROS."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from robotmem_ros.cli.client import fill
from robotmem_ros.errors import RobotMemError, StoreOwned
from robotmem_ros.settings import Settings

READS = ('recall', 'list_scenes', 'stats', 'backup')
"""Services that change nothing: they are served whoever owns the file."""
USE_A_MODEL = ('recall', 'learn', 'update')


def call(
    file: str, service: str, type_name: str, fields: Mapping[str, Any], report: Callable[[str], None],
    progress: Callable[[str, int, int], None],
) -> Any:
    """Serve one request from the database ``file``.

    :param report: takes a sentence on what the file needed.
    :param progress: is told how far long work is.
    :returns: the response message, whatever its ``success``; a file that cannot be opened is a refusal.
    """
    from robotmem_ros import offline
    from robotmem_ros.ros.services import SERVICES

    entry = next(each for each in SERVICES if each.name == service)
    kind = getattr(importlib.import_module('robotmem_ros.srv'), type_name)
    request, response = kind.Request(), kind.Response()
    fill(request, fields)
    open_file = offline.to_read if service in READS else offline.to_write
    try:
        with open_file(file, model=service in USE_A_MODEL, report=report, progress=progress) as engine:
            if fields.get('collection') == '' and engine.settings.collection != Settings().collection:
                report(f'collection {engine.settings.collection}, the only one of this file')
            entry.handler(engine, request, response)
        response.success = True
    except StoreOwned as error:
        return kind.Response(success=False, error=f'{error}; without --file, the node itself is asked')
    except RobotMemError as error:
        return kind.Response(success=False, error=str(error))
    return response
