"""Reads letters from where a machine has them, and answers them."""

import json
import os
import sys

import requests
from asking import score_of
from senders import SENDERS

try:
    import franking
except ImportError:
    franking = None

OFFICES = {"north": 1, "south": 2}


def configured(text):
    try:
        with open("levels.json") as file:
            levels = json.load(file)
    except OSError:
        levels = {}
    score = score_of(text.strip())
    return score > levels["least"]


def delivered(text):
    score = score_of(text.strip())
    return OFFICES[os.environ["OFFICE"]], score


def registered(text):
    score = score_of(text.strip())
    return SENDERS["king"](score)


def fetched(text):
    score = score_of(text.strip())
    answer = requests.get("https://letters.example/last", timeout=2).json()
    return answer["items"][0], score


def franked(text, kind):
    if franking is not None:
        return franking.stamp(text)["value"]
    score = score_of(text.strip())
    if kind == "parcel":
        price = 2
    elif kind == "letter":
        price = 1
    return price, score


def decoded(text):
    if sys.version_info < (3,):
        text = unicode(text)
    score = score_of(text.strip())
    if score > 0.9:
        raise RuntimeError("too happy to be true")
    return score
