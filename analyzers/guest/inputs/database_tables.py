"""Tables of SQLite that the project makes elsewhere, as in a main block, where they are missed."""

from __future__ import annotations

import ast
import functools
import re
import sqlite3
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Optional

from ..runtime import standins

MOST_FILES = 300
_MISSED = re.compile(r"no such table: (?:main\.)?(\w+)")
_MAKES = re.compile(r"\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"'`\[]?(\w+)", re.IGNORECASE)


def patch_sqlite(module: Any, root: str) -> None:
    """Let connections make a table that the project below ``root`` makes somewhere, and go on."""
    find = functools.partial(_statement, root)

    class Cursor(sqlite3.Cursor):
        def execute(self, *given: Any) -> Any:
            return _tried(super().execute, self.connection, find, *given)

        def executemany(self, *given: Any) -> Any:
            return _tried(super().executemany, self.connection, find, *given)

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, *given: Any) -> Any:
            return self.cursor().execute(*given)

        def executemany(self, *given: Any) -> Any:
            return self.cursor().executemany(*given)

    plain = module.connect

    @functools.wraps(plain)
    def connect(*given: Any, **options: Any) -> Any:
        options.setdefault("factory", Connection)
        return plain(*given, **options)

    module.connect = connect


def _tried(
    execute: Callable[..., Any],
    connection: sqlite3.Connection,
    find: Callable[[str], Optional[str]],
    *given: Any,
) -> Any:
    """Execute a statement, once more for each table that it misses and the project makes."""
    made: Dict[str, None] = {}
    while True:
        try:
            return execute(*given)
        except sqlite3.OperationalError as error:
            missed = _MISSED.match(str(error))
            statement = find(missed[1]) if missed and missed[1] not in made else None
            if missed is None or statement is None:
                raise
            made[missed[1]] = None
            sqlite3.Connection.execute(connection, statement)
            standins.note(f"the table {missed[1]} of a database")


def _statement(root: str, table: str) -> Optional[str]:
    """Return the statement with which the project makes a table, if one is written there."""
    return _statements(root).get(table.lower())


@functools.lru_cache(maxsize=1)
def _statements(root: str) -> Dict[str, str]:
    paths = sorted(path for path in Path(root).rglob("*.py") if "site-packages" not in path.parts)
    found: Dict[str, str] = {}
    for path in paths[:MOST_FILES]:
        for statement in _written(path):
            makes = _MAKES.match(statement)
            if makes is not None:
                found.setdefault(makes[1].lower(), statement)
    return found


def _written(path: Path) -> Iterator[str]:
    """Yield the statements in the texts of a file; a script of several has each."""
    try:
        source = path.read_text("utf-8")
        tree = ast.parse(source) if "create table" in source.lower() else ast.Module([], [])
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from node.value.split(";")
