"""The test data that torch brings along."""

from __future__ import annotations

import sys
import types
import unittest
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, Generator, List


@cache
def operators() -> List[Any]:
    """``op_db``: torch's operators with generators of sample inputs (``OpInfo``)."""
    with _expecttest():
        from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


@cache
def modules() -> List[Any]:
    """``module_db``: torch's layers with generators of inputs (``ModuleInfo``)."""
    with _expecttest():
        from torch.testing._internal.common_modules import module_db

    return list(module_db)


@contextmanager
def _expecttest() -> Generator[None, None, None]:
    """What torch's tests import is there, if only by name.

    Of ``expecttest`` the test data needs a base class that is never used.
    """
    if find_spec("expecttest") is not None:
        yield
        return
    standin: Any = types.ModuleType("expecttest")
    standin.TestCase = unittest.TestCase
    sys.modules["expecttest"] = standin
    try:
        yield
    finally:
        sys.modules.pop("expecttest", None)
