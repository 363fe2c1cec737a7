"""Windows and fonts that drawing needs and that are not here, and old names of Pillow.

Without them code that draws what an ML API found ends before, or right after, the request.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import standins

_RENAMED = {"ANTIALIAS": "LANCZOS", "LINEAR": "BILINEAR", "CUBIC": "BICUBIC"}


def patch_matplotlib(module: Any) -> None:
    """Let the project choose a backend with windows; nothing is shown."""
    original = module.use

    def use(backend: str, *, force: bool = True) -> None:
        del force
        original(backend, force=False)

    module.use = use


def patch_pictures(module: Any) -> None:
    """Give names back that Pillow 10 has lost, as no version says what the project runs on."""
    for old, name in _RENAMED.items():
        if not hasattr(module, old) and hasattr(module, name):
            setattr(module, old, getattr(module, name))


def patch_fonts(module: Any) -> None:
    """Give Pillow's own font for one that is missing here."""
    original = module.truetype

    def truetype(font: Any = None, size: float = 10, *args: Any, **options: Any) -> Any:
        try:
            return original(font, size, *args, **options)
        except OSError:
            if not isinstance(font, (str, Path)) or Path(font).exists():
                raise
            standins.note(f"the font {Path(font).name}")
            return module.load_default(size)

    module.truetype = truetype
