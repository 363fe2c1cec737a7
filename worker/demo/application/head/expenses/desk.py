"""The desk at work."""

from pathlib import Path

from .comments import reply_to
from .receipts import amount, kind_of


def take_in(path, archive):
    """File a receipt; large amounts wait for approval."""
    cents = amount(path)
    drawer = kind_of(path)
    if cents is not None and cents > 50000:
        drawer = "approval"
    archive.file(drawer, Path(path).stem, {"cents": cents})
    return drawer


def answer(comment, archive):
    """Answer a comment and keep the answer."""
    reply = reply_to(comment)
    archive.file("comments", str(abs(hash(comment))), {"reply": reply})
    return reply
