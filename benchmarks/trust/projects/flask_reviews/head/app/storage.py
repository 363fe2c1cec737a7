import sqlite3
from contextlib import closing


def connect(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE IF NOT EXISTS reviews (text TEXT, score REAL)")
    return connection


def add(path, text, score):
    with closing(connect(path)) as connection, connection:
        connection.execute("INSERT INTO reviews VALUES (?, ?)", (text, score))


def mean(path):
    with closing(connect(path)) as connection:
        (value,) = connection.execute("SELECT AVG(score) FROM reviews").fetchone()
    return value or 0.0
