"""`robotmem export` and `robotmem import`."""

from __future__ import annotations

import os
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import NamedTemporaryFile

from robotmem_ros import offline
from robotmem_ros.cli import show
from robotmem_ros.cli.exits import DONE, REFUSED, complain, note
from robotmem_ros.cli.progress import Bar
from robotmem_ros.cli.target import LETS_GO, Target, find
from robotmem_ros.core.hebbian import effective_weight
from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest, RobotMemError, StoreOwned
from robotmem_ros.exchange import exporter, jsonl, sources, vault
from robotmem_ros.exchange.importer import Summary
from robotmem_ros.exchange.lines import Source
from robotmem_ros.settings import HebbianSettings
from robotmem_ros.store import dump
from robotmem_ros.store.records import EdgeRecord
from robotmem_ros.store.store import Store
from robotmem_ros.store.tx import Tx


def export(given: Namespace) -> int:
    """Write a file or a folder, from one snapshot, whoever writes meanwhile."""
    markdown = given.format == 'markdown' or (given.format is None and not _is_jsonl(given.target))
    tier = {'all': '', None: 'ltm' if markdown else ''}.get(given.tier, given.tier)
    try:
        with (
            find(given) as found, closing(Store.open_to_read(found.to_read(), offline.WAIT)) as store,
            store.read() as tx,
        ):
            count = _export(tx, given, markdown, tier)
    except RobotMemError as error:
        return complain(show.printable(str(error)), REFUSED)
    except BrokenPipeError:
        raise
    except OSError as error:
        return complain(f'{show.printable(given.target)}: {error.strerror}', REFUSED)
    if given.target == '-':
        return DONE
    if given.json:
        print(show.as_json({'target': given.target, 'memories': count, 'format': 'markdown' if markdown else 'jsonl'}))
    else:
        what = {'': '', 'ltm': ' long-term', 'stm': ' short-term'}[tier]
        print(f'{count}{what} memories written to {show.printable(given.target)}')
        if not count and tier:
            note('--tier all writes the others, too')
    return DONE


def _is_jsonl(target: str) -> bool:
    return target == '-' or (Path(target).suffix.lower() in ('.jsonl', '.json') and not Path(target).is_dir())


def _export(tx: Tx, given: Namespace, markdown: bool, tier: str) -> int:
    target = Path(given.target).expanduser()
    with Bar('exporting', dump.memory_count(tx, given.collection, tier), shown=not given.json) as bar:
        if markdown:
            if target.exists() and not target.is_dir():
                raise InvalidRequest('target', 'a folder for Markdown', given.target)
            return vault.write(target, tx, _worth_now, given.collection, tier, bar.step)
        records = exporter.everything(tx, given.collection, tier)
        if given.target == '-':
            return jsonl.write(sys.stdout.buffer, records, bar.step)
        if target.exists() and not given.force:
            raise InvalidRequest('target', 'a file that does not exist yet (--force writes over it)', given.target)
        part = target.with_name(f'{target.name}.part')
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'wb') as file:
                count = jsonl.write(file, records, bar.step)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return count


def _worth_now(edge: EdgeRecord) -> float:
    return effective_weight(edge.weight, time.time_ns() - edge.last_updated_ns, HebbianSettings().half_life_days)


def import_(given: Namespace) -> int:
    """Take a source in; what is refused is said line by line, and the others go on."""
    try:
        with whole(given.source) as path, find(given) as found:
            source = sources.open_source(path)
            with found.to_change(shown=not given.json):
                summary = _take_in(source, found, given)
    except StoreOwned as error:
        return complain(f'{show.printable(str(error))}; {LETS_GO}', REFUSED)
    except RobotMemError as error:
        return complain(show.printable(str(error)), REFUSED)
    except OSError as error:
        return complain(f'{show.printable(given.source)}: {error.strerror}', REFUSED)
    for where, reason in summary.refusals:
        complain(f'{show.printable(where)}: {show.printable(reason)}', REFUSED)
    if summary.faded:
        note(f'{summary.faded} of them are so old that they have faded: recall --min-confidence 0 gives them, too')
    print(show.as_json(asdict(summary)) if given.json else summarised(summary))
    return REFUSED if summary.refused else DONE


@contextmanager
def whole(source: str) -> Iterator[str]:
    """Give the name of what is read; standard input is read to its end first, so that nobody waits for its writer."""
    if source != '-':
        yield source
        return
    with NamedTemporaryFile(prefix='robotmem-', suffix='.jsonl') as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        yield file.name


def _take_in(source: Source, found: Target, given: Namespace) -> Summary:
    shown = not given.json
    with offline.to_write(found.path, model=True, create=True, report=note, settings=found.settings) as engine:
        with Bar(f'reading {source.what}', source.total, shown=shown) as bar:
            summary = engine.import_records(source.lines, given.collection, bar.at)
        if not found.is_served:
            _embed(engine, shown)
    return summary


def _embed(engine: Engine, shown: bool) -> None:
    """Give vectors to what came in; where there is no model, or a node waits to go on, that does it later."""
    if engine.mode != 'hybrid':
        return
    total = _pending(engine)
    with Bar('embedding', total, shown=shown) as bar:
        looks = 0
        while engine.tick():
            looks += 1
            if looks % 50 == 0:
                bar.at(total - _pending(engine))


def _pending(engine: Engine) -> int:
    return int(engine.stats()['pending_vectors'])


def summarised(summary: Summary) -> str:
    """Say in one line what came in."""
    parts: list[tuple[int, str]] = [
        (summary.known, 'known before'), (summary.joined, 'as one more occurrence of what is here'),
        (summary.edges, 'edges'), (summary.scenes, 'scenes'), (summary.places, 'places'),
        (summary.sessions, 'sessions'), (summary.left_out, 'retired ones left out'), (summary.refused, 'refused'),
    ]
    return ', '.join([f'{summary.created} memories came in', *(f'{count} {what}' for count, what in parts if count)])
