import re

TOTAL = re.compile(r"total:?\s+\d+")


def is_receipt(text):
    if TOTAL.search(text.lower()):
        return True
    return unrelated(3)


def unrelated(number):
    return number > 2
