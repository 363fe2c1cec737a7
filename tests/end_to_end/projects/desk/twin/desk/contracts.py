"""Contracts on paper."""

from .cloud import whole_text
from .rules import needs_signature


def tray(path):
    return "outgoing" if needs_signature(whole_text(path)) else "filed"
