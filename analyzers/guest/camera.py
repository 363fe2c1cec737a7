"""A camera, or a film, that shows the input: ``cv2.VideoCapture``."""

from __future__ import annotations

import contextlib
from typing import Any, Generator

FRAMES = 2
_shown: Any = None
_left = 0
_asked = False


def wanted() -> bool:
    """Whether the code has looked through a camera while none showed an input."""
    return _asked


@contextlib.contextmanager
def showing(picture: Any) -> Generator[None, None, None]:
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


def patch_cv2(module: Any) -> None:
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
