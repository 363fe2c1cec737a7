"""What stands outside of the code while it runs: files, typed text, a camera, a request."""

from __future__ import annotations

import builtins
import contextlib
import io
import itertools
import sys
from typing import Any, ContextManager, Generator, List, Mapping

from ..protocol import input_paths
from ..runtime.standins import Inert
from . import project_files, web_requests

FRAMES = 2
_shown: Any = None
_left = 0
_asked = False


def camera_wanted() -> bool:
    """Whether the code has looked through a camera while none showed an input."""
    return _asked


@contextlib.contextmanager
def camera_showing(picture: Any) -> Generator[None, None, None]:
    """Let every camera show a picture, for a few frames."""
    global _shown, _left
    _shown, _left = picture, FRAMES
    try:
        yield
    finally:
        _shown = None


def _is_shown() -> bool:
    global _asked
    _asked = _asked or _shown is None
    return _shown is not None


def _frame() -> Any:
    global _left
    if _left == 0:
        return False, None
    _left -= 1
    return True, _shown.copy() if hasattr(_shown, "copy") else _shown


def patch_camera(module: Any) -> None:
    """Let a capture show the input, where a run has one."""
    original: Any = module.VideoCapture

    class VideoCapture:
        """OpenCV's capture, or one that shows the input."""

        def __init__(self, *args: Any) -> None:
            self._capture = original(*args)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.__dict__["_capture"], name)

        def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
            return _left > 0 if _is_shown() else bool(self._capture.isOpened())

        def read(self, *args: Any) -> Any:
            return _frame() if _is_shown() else self._capture.read(*args)

        def grab(self) -> bool:
            return _left > 0 if _is_shown() else bool(self._capture.grab())

        def retrieve(self, *args: Any) -> Any:
            return _frame() if _is_shown() else self._capture.retrieve(*args)

    module.VideoCapture = VideoCapture


MOST_LINES = 20


def object_with(fields: Mapping[str, Any]) -> Any:
    """An object with these attributes: a request, where they are a request's."""
    if input_paths.WEB & fields.keys():
        return web_requests.WebRequest(fields)
    made = Inert()
    made.__dict__.update(fields)
    return made


BUILDER = input_paths.ValueBuilder(list, web_requests.RequestFields, object_with, Inert("element"))


def external_inputs(values: Mapping[str, Any], namespace: Mapping[str, Any]) -> ContextManager[Any]:
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
    path = input_paths.parse(root).file
    if path is not None:
        return project_files.file_placed(path, value)
    if root == input_paths.INPUT:
        return _typed(str(value))
    if root == input_paths.ARGUMENTS:
        return _started_with(list(value))
    if root == input_paths.CAMERA:
        return camera_showing(value)
    return web_requests.flask_request(value, namespace)


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
