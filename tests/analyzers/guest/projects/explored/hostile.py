"""Functions that work against the process that runs them, for inputs from four on."""

import builtins
import json
import os
import signal
import sys

FAKE = {"input": "{}", "seed": 0, "outcome": {"kind": "failed", "key": [], "ending": None}}


class Odd(BaseException):
    def __str__(self):
        raise Odd

    __repr__ = __str__


class Bad:
    def __eq__(self, other):
        raise Odd

    __repr__ = __iter__ = __len__ = __bool__ = __eq__
    __hash__ = None


class Unequal(dict):
    def values(self, *key):
        raise ValueError("no values")

    __getitem__ = values


def _write(data):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, data)
        except OSError:
            pass


def garbles(n):
    if n > 3:
        _write(b"{]\n\xff\xff\xff\xff")
    return n


def forges(n):
    if n > 3:
        _write(json.dumps(FAKE).encode() + b"\n")
    return n


def closes(n):
    if n > 3:
        os.closerange(3, 100)
    return n


def leaves(n):
    if n > 3:
        os._exit(70)
    return n


def breaks(n):
    if n > 3:
        builtins.isinstance = builtins.len = None
    return n


def replaces(n):
    if n > 3:
        sys.modules["hypothesis"] = None
        json.dumps = None
    return n


def traces(n):
    def trace(*given):
        raise Odd

    if n > 3:
        sys.settrace(trace)
    return n


def raises(n):
    if n > 3:
        (_ for _ in ()).throw(Odd())
    return n


def returns(n):
    return Bad() if n > 3 else n


def returns_unequal(n):
    return Unequal(a=[n])


def kills(n):
    if n > 3:
        os.kill(os.getppid(), signal.SIGKILL)
    return n
