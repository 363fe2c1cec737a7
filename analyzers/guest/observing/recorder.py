"""Listens to calls, and keeps what their arguments were."""

from __future__ import annotations

import dis
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Dict, Generator, List, Mapping, Optional

from ..execution import Prepared
from .functions import Place
from .summary import summary

_LONGEST = 500
_SELVES = ("self", "cls")
_RETURNS = ("RETURN", "YIELD", "INSTRUMENTED_RETURN", "INSTRUMENTED_YIELD", "SUSPEND")


class Recorder:
    """Records the calls of some functions of one file while it is listening.

    It slows down whatever runs meanwhile.  ``test`` names what runs now.  Calls
    beyond ``most``, and those that are like one before, are left out.
    ``outcomes`` tell of each test whether it passed.
    """

    def __init__(self, prepared: Prepared, names: Mapping[Place, str], most: int) -> None:
        self.test = ""
        self._file = str(Path(prepared.root, prepared.path))
        self._names = names
        self._most = most
        self._codes: Dict[CodeType, Optional[str]] = {}
        self._running: Dict[int, Dict[str, Any]] = {}
        self._found: Dict[str, Dict[str, Any]] = {}
        self._busy = False
        self.outcomes: Dict[str, bool] = {}

    def ended(self, test: str, *, passed: bool) -> None:
        """Note how a test, or a stage of it, ended."""
        if test in self.outcomes or len(self.outcomes) < self._most:
            self.outcomes[test] = self.outcomes.get(test, True) and passed

    def calls(self) -> List[Dict[str, Any]]:
        """What was recorded, in order."""
        return list(self._found.values())

    @contextmanager
    def listening(self) -> Generator[None, None, None]:
        """Record what happens inside."""
        threading.setprofile(self._hear)
        sys.setprofile(self._hear)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _hear(self, frame: FrameType, event: str, argument: Any) -> None:
        del argument
        if event not in ("call", "return") or self._busy:
            return
        code = frame.f_code
        if code not in self._codes:
            self._codes[code] = self._named(code)
        name = self._codes[code]
        if name is None:
            return
        self._busy = True
        try:
            if event == "call":
                self._begin(name, frame)
            else:
                self._end(frame)
        except Exception:
            self._running.pop(id(frame), None)
        finally:
            self._busy = False

    def _named(self, code: CodeType) -> Optional[str]:
        name = self._names.get((code.co_name, code.co_firstlineno))
        return name if name is not None and _same(code.co_filename, self._file) else None

    def _begin(self, name: str, frame: FrameType) -> None:
        if len(self._found) >= self._most:
            return
        code = frame.f_code
        count = code.co_argcount + code.co_kwonlyargcount
        arguments: Dict[str, str] = {}
        for place, parameter in enumerate(code.co_varnames[:count]):
            if (place == 0 and parameter in _SELVES) or parameter not in frame.f_locals:
                continue
            text = summary(frame.f_locals[parameter])
            if text is not None and len(text) <= _LONGEST:
                arguments[parameter] = text
        self._running[id(frame)] = {
            "function": name,
            "arguments": arguments,
            "test": self.test,
            "raised": False,
        }

    def _end(self, frame: FrameType) -> None:
        call = self._running.pop(id(frame), None)
        if call is None:
            return
        call["raised"] = not _returns(frame)
        key = repr((call["function"], call["arguments"], call["raised"]))
        self._found.setdefault(key, call)


def _same(file: str, other: str) -> bool:
    return file == other or Path(file).resolve() == Path(other).resolve()


def _returns(frame: FrameType) -> bool:
    """Whether a frame ends by returning, not by an exception."""
    at = frame.f_lasti
    code = frame.f_code.co_code
    return 0 <= at < len(code) and dis.opname[code[at]].startswith(_RETURNS)
