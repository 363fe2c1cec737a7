"""Fixtures: databases are copied, written when the machine likes, and keys are checked once."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, make_url
from sqlalchemy.pool import Pool

from worker.github_app.client import credentials
from worker.store.database import open_engine

_load_key_once = cache(credentials.load_pem_private_key)


@cache
def _new_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "new.db")
        open_engine(f"sqlite:///{file}").dispose()
        return file.read_bytes()


def _open_copied(url: str) -> Engine:
    """Open a database; a new one of SQLite's is a copy of one that has its tables."""
    address = make_url(url)
    file = Path(address.database or "")
    if address.get_backend_name() == "sqlite" and file.parent.is_dir() and not file.exists():
        file.write_bytes(_new_database())
    return _sharing_statements(open_engine(url))


_dialects: dict[str, tuple[Any, Any]] = {}


def _sharing_statements(engine: Engine) -> Engine:
    """Let all engines of a kind compile a statement once; each would do so for itself."""
    known = (engine.dialect, engine._compiled_cache)
    engine.dialect, engine._compiled_cache = _dialects.setdefault(engine.name, known)
    return engine


def _leave_it_to_the_machine(connection: Any, _record: Any, _proxy: Any) -> None:
    if type(connection).__module__ == "sqlite3":
        connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture(autouse=True)
def quick_database(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait neither for the disk at each commit, nor for other processes after it.

    Killing a process still loses nothing.
    """
    monkeypatch.setattr("worker.store.store.open_engine", _open_copied)
    monkeypatch.setattr("worker.store.database.GIVE_WAY_SECONDS", 0.0)
    event.listen(Pool, "checkout", _leave_it_to_the_machine)
    yield
    event.remove(Pool, "checkout", _leave_it_to_the_machine)


@pytest.fixture(autouse=True)
def quick_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the key of GitHub's double once."""
    monkeypatch.setattr(credentials, "load_pem_private_key", _load_key_once)
