"""Decides what a parked thing has to pay."""

from vehicles import seen_on


def ticket(path):
    seen = seen_on(path)
    if any(word.lower() in ("car", "van") for word in seen):
        return 20
    if any(word.lower() == "motorcycle" for word in seen):
        return 10
    if any(word.lower() == "bicycle" for word in seen):
        return 0
    return None
