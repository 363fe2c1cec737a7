"""Facts of files that detection keeps from one run of a repository to the next."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import msgspec

from analyzers import catalogue
from analyzers.detection.file_facts import FactsCache, FileFacts
from worker.check.result_store import ResultStore

NAME = "facts.msgpack"
LEAST_FILES = 200
"""Files below which reading them again is as quick."""
_ROOT = Path(__file__).parents[2] / "analyzers"
_READERS = ("detection", "catalogue", "guest/annotations")


class _KeptFacts(msgspec.Struct):
    """Facts by digest of text, and the state of the code that read them."""

    state: str
    facts: dict[str, FileFacts]


def known_facts(store: ResultStore | None, files: int) -> FactsCache:
    """Return the facts of a repository that were kept, if the same code has read them."""
    asks_apis = catalogue.load_catalogue().mentions
    if store is None or files < LEAST_FILES:
        return FactsCache(asks_apis)
    try:
        kept = msgspec.msgpack.decode(store.read(NAME), type=_KeptFacts)
    except (OSError, ValueError):
        return FactsCache(asks_apis)
    return FactsCache(asks_apis, kept.facts if kept.state == _state() else {})


def keep_facts(store: ResultStore | None, facts: FactsCache) -> None:
    """Keep the facts that a run used, where they are many and not what they were."""
    if store is not None and len(facts.used) >= LEAST_FILES and facts.is_new:
        with suppress(OSError):
            store.write(NAME, msgspec.msgpack.encode(_KeptFacts(_state(), facts.used)))


def _state() -> str:
    """Return the digest of the code that reads facts, and of the catalogue."""
    hashed = hashlib.blake2b(version("assayer").encode(), digest_size=20)
    hashed.update(repr(sorted(map(sorted, catalogue.load_catalogue().hints))).encode())
    for folder in _READERS:
        for place in sorted((_ROOT / folder).rglob("*.py")):
            status = place.stat()
            hashed.update(f"{place} {status.st_size} {status.st_mtime_ns}\n".encode())
    return hashed.hexdigest()
