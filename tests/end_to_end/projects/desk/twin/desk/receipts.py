"""Receipts, as they come in."""

from .cloud import whole_text, words_on


def merchant(path):
    """The first line names the merchant."""
    words = words_on(path)
    if not words:
        return None
    first = words[0].description.split("\n")[0]
    return first.title() if first.isupper() else first


def is_refund(path):
    text = whole_text(path).upper()
    if "REFUND" in text or "CREDIT" in text:
        return True
    return False


def is_paid(path):
    stamp = " ".join(word.description for word in words_on(path)[1:])
    if "PAID IN FULL" in stamp:
        return True
    return False


def has_total(path):
    if "TOTAL" in whole_text(path).upper():
        return True
    return False
