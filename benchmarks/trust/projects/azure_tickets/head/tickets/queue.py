"""The order in which tickets are answered."""

from tickets.tone import tone

ORDER = {"angry": 0, "unknown": 1, "calm": 2}


def sort(tickets):
    return sorted(tickets, key=lambda ticket: ORDER[tone(ticket)])
