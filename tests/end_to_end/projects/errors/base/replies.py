"""Answers letters."""

import os

from asking import score_of

REPLIES = {"happy": "Thank you!", "sad": "We are sorry."}


class Shelf:
    def __init__(self):
        self.names = ["low", "high"]

    def place(self, score):
        return self.names[score > 0]


def reply(text):
    return REPLIES["happy" if score_of(text) > 0 else "sad"]


def shelved(text):
    return Shelf().place(score_of(text))


def level(text):
    found = "low"
    if score_of(text) > 0.5:
        found = "high"
    return found


def limited(text):
    limits = {"low": -0.5}
    return score_of(text) > limits["low"]


def addressed(text):
    return os.environ["POST_OFFICE"], score_of(text)
