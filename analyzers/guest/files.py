"""Files that the project opens and that are not here."""

from __future__ import annotations

import builtins
import io
import sys
from pathlib import Path
from typing import Any, Callable

from . import arguments, standins
from .endings import is_own

_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff")
_NEAR = 3
_original: Callable[..., Any] = builtins.open


def install(root: str) -> None:
    """Open inputs under any folder, and blank pictures for missing ones.

    A program that puts a folder before the path it is given still finds the
    input there.  Only the project's own code is served.
    """

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        try:
            return _original(file, mode, *args, **options)
        except FileNotFoundError:
            name = Path(file).name if isinstance(file, (str, Path)) else ""
            if not name or not _is_asked(root):
                raise
            made = arguments.scratch(name)
            if made is not None:
                return _original(made, mode, *args, **options)
            if "b" not in mode or "r" not in mode or not _is_picture(name):
                raise
            standins.note(f"the file {name}")
            return io.BytesIO(arguments.BLANK)

    builtins.open = opened
    io.open = opened


def patch_cv2(module: Any) -> None:
    """Let ``cv2.imread`` find inputs and blank pictures as ``open`` does."""
    original: Callable[..., Any] = module.imread

    def imread(path: Any, *args: Any) -> Any:
        image = original(path, *args)
        name = str(path)
        if image is not None or Path(name).exists():
            return image
        made = arguments.scratch(Path(name).name)
        if made is None and not _is_picture(name):
            return None
        return original(made or arguments.blank_path(), *args)

    module.imread = imread


def _is_asked(root: str) -> bool:
    """Whether the project's own code opens the file, perhaps through a library."""
    frame: Any = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    for _ in range(_NEAR):
        if frame is not None and is_own(frame.f_code.co_filename, root):
            return True
        frame = frame and frame.f_back
    return False


def _is_picture(name: str) -> bool:
    return name.lower().endswith(_PICTURES)
