import json
import os
import sqlite3
import tempfile
from pathlib import Path

STARTED = Path("started.txt")
STARTED.write_text("once")


def remember(item):
    path = Path("state", "items.json")
    items = json.loads(path.read_text()) if path.exists() else []
    items.append(item)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(items))
    return len(items)


def count(name):
    with sqlite3.connect(os.path.join(tempfile.gettempdir(), "counts.db")) as database:
        database.execute("CREATE TABLE IF NOT EXISTS counts (name TEXT)")
        database.execute("INSERT INTO counts VALUES (?)", (name,))
        return database.execute("SELECT COUNT(*) FROM counts").fetchone()[0]


def restart(word):
    before = STARTED.read_text()
    STARTED.write_text(before + word)
    os.remove("started.txt")
    return len(before)
