"""The history of moods, one JSON file."""

import json
import os

FOLDER = os.environ.get("WALL_DATA", "data")


def path():
    return FOLDER + "/history.json"


def load():
    try:
        with open(path(), encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, json.JSONDecodeError):
        return []


def append(score):
    scores = load()
    scores.append(score)
    os.makedirs(FOLDER, exist_ok=True)
    with open(path(), "w", encoding="utf-8") as file:
        json.dump(scores[-100:], file)
    return scores


def average(scores):
    return sum(scores) / len(scores) if scores else 0.0
