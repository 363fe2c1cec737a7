"""Letters, and what to do with them."""

from desk.cloud import whole_text, words_on

POSTAGE = {"letter": 85, "card": 70, "parcel": 549}
OPENING = {"monday": (9, 17), "tuesday": (9, 17), "wednesday": (9, 13)}


def postage(kind):
    return POSTAGE.get(kind, POSTAGE["letter"])


def is_open(day, hour):
    first, last = OPENING.get(day, (0, 0))
    return first <= hour < last


def sender(path):
    words = words_on(path)
    return words[0].description.splitlines()[0]


def is_urgent(path):
    text = whole_text(path)
    if "URGENT" in text:
        return True
    return False
