"""What stands outside of the code while it runs: files, typed text, a camera, a request."""

from __future__ import annotations

import builtins
import contextlib
import io
import itertools
import sys
from typing import Any, ContextManager, Generator, List, Mapping

from . import camera, files, places, web
from .standins import Inert

MOST_LINES = 20


def thing(fields: Mapping[str, Any]) -> Any:
    """An object with these attributes: a request, where they are a request's."""
    if places.WEB & fields.keys():
        return web.Request(fields)
    made = Inert()
    made.__dict__.update(fields)
    return made


BUILDER = places.Builder(list, web.Fields, thing, Inert("element"))


def world(values: Mapping[str, Any], namespace: Mapping[str, Any]) -> ContextManager[Any]:
    """The outside with these values at its roots; ``namespace`` is the module's.

    A file's value is the path of the file to open in its stead.
    """
    return _world(values, namespace) if values else contextlib.nullcontext()


@contextlib.contextmanager
def _world(values: Mapping[str, Any], namespace: Mapping[str, Any]) -> Generator[None, None, None]:
    with contextlib.ExitStack() as stack:
        for root, value in values.items():
            stack.enter_context(_standing(root, value, namespace))
        yield


def _standing(root: str, value: Any, namespace: Mapping[str, Any]) -> ContextManager[Any]:
    path = places.parse(root).file
    if path is not None:
        return files.placed(path, value)
    if root == places.INPUT:
        return _typed(str(value))
    if root == places.ARGUMENTS:
        return _started_with(list(value))
    if root == places.CAMERA:
        return camera.showing(value)
    return web.flask_request(value, namespace)


@contextlib.contextmanager
def _typed(text: str) -> Generator[None, None, None]:
    """Standard input: the text, and for each of a few questions the text again."""
    answers = itertools.repeat(text, MOST_LINES)

    def asked(prompt: object = "") -> str:
        del prompt
        for answer in answers:
            return answer
        raise EOFError("nothing more is typed")

    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(f"{text}\n".encode()), "utf-8")
    question, builtins.input = builtins.input, asked
    try:
        yield
    finally:
        sys.stdin, builtins.input = before, question


@contextlib.contextmanager
def _started_with(given: List[Any]) -> Generator[None, None, None]:
    """The arguments of the command line; the first is the program."""
    before = sys.argv
    sys.argv = [before[0], *map(str, given[1:])]
    try:
        yield
    finally:
        sys.argv = before
