"""Invocation synthesis (DeepREL, section 4.2): how one API is called with another's arguments."""

from __future__ import annotations

from .assigning import assigned
from .binding import Inapplicable
from .documenting import documented
from .templates import applied

__all__ = ["Inapplicable", "applied", "assigned", "documented"]
