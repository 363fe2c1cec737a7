"""Finds the sum on a receipt."""

import re
from decimal import Decimal, InvalidOperation

from receipts.read import read_text

AMOUNT = re.compile(r"(\d+)[.,](\d{2})\b")


def amounts(text):
    found = []
    for whole, cents in AMOUNT.findall(text):
        try:
            found.append(Decimal(f"{whole}.{cents}"))
        except InvalidOperation:
            continue
    return found


def total(path):
    """The largest amount on a receipt, ``None`` where there is none."""
    text = read_text(path)
    found = amounts(text)
    return max(found) if found else None
