"""What kind of receipt is on the photograph?"""

import re

from .cloud import Eyes

AMOUNT = re.compile(r"(\d+)\.(\d\d)")


def whole_text(path):
    annotations = Eyes().annotations(path)
    return annotations[0].description if annotations else ""


def kind_of(path):
    """Return which drawer a receipt belongs in."""
    text = whole_text(path).upper()
    if "INVOICE" in text:
        return "invoices"
    if "BOARDING PASS" in text or "TAXI" in text:
        return "travel"
    return "other"


def merchant(path):
    """The first line of a receipt is the merchant's name."""
    annotations = Eyes().annotations(path)
    first_line = annotations[0].description.split("\n")[0]
    if first_line.isupper():
        return first_line.title()
    return first_line


def is_refund(path):
    """Refunds are booked on the other side."""
    text = whole_text(path).upper()
    if "REFUND" in text or "CREDIT NOTE":
        return True
    return False


def is_paid(path):
    """A stamp on the receipt says that it was paid."""
    words = [word.description for word in Eyes().annotations(path)[1:]]
    if "PAID IN FULL" in words:
        return True
    return False


def amount(path):
    """The amount in cents, or None where no amount can be read."""
    found = AMOUNT.search(whole_text(path))
    if found is None:
        return None
    return int(found.group(1)) * 100 + int(found.group(2))
