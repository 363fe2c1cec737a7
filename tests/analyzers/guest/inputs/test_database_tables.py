"""Tables that the project makes elsewhere are there when its code misses them, and no others."""

import sqlite3
import types

import pytest

from analyzers.guest.inputs.database_tables import patch_sqlite


@pytest.fixture
def sqlite(tmp_path):
    (tmp_path / "setup.py").write_text(
        "def init(c):\n"
        "    c.executescript('CREATE TABLE IF NOT EXISTS users (id INTEGER); CREATE TABLE b (x)')\n"
    )
    module = types.SimpleNamespace(connect=sqlite3.connect)
    patch_sqlite(module, str(tmp_path))
    return module


def test_missing_table_is_made_as_the_project_makes_it(sqlite):
    with sqlite.connect(":memory:") as connection:
        connection.execute("INSERT INTO users VALUES (?)", (1,))
        cursor = connection.cursor()
        assert cursor.execute("SELECT id, x FROM users LEFT JOIN b").fetchall() == [(1, None)]
        cursor.executemany("INSERT INTO b VALUES (?)", [(1,), (2,)])


def test_table_that_nobody_makes_is_missing(sqlite):
    connection = sqlite.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError, match="no such table: others"):
        connection.execute("SELECT * FROM others")


def test_what_the_code_makes_itself_is_not_there_before(sqlite):
    connection = sqlite.connect(":memory:")
    connection.execute("CREATE TABLE b (x, y)")
    assert connection.execute("SELECT y FROM b").fetchall() == []
