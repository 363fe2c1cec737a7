"""Pictures and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Tuple

from ..annotations.nouns import Constraint
from ..annotations.rendering import render
from .recipes import Call, Literal, Recipe
from .scope import Scope, Unmeetable
from .shapes import whole

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FORMS = ("pil", "numpy", "tensor", "path", "bytes")
FILES = (
    "image", "text", "json", "csv", "yaml", "npy", "npz", "pt", "wav", "folder",
)  # fmt: skip
_CHANNELS = (1, 3, 4)
_LEAST_SIDE, _MOST_SIDE, _MOST_SEED = 8, 32, 99
_PICTURES = ("png", "jpg", "jpeg", "bmp", "gif", "tif", "tiff", "webp", "ppm")
_OTHER_NAMES = {"yml": "yaml", "pth": "pt", "ckpt": "pt", "txt": "text", "md": "text"}


def images(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Pictures of one colour, or of noise: of 8 to 32 pixels a side where nothing is said."""
    from hypothesis.strategies import composite

    form, channels = constraint.value("form", "pil"), constraint.value("channels", 3)
    if form not in FORMS:
        raise Unmeetable(render(constraint), f"form is one of {', '.join(FORMS)}")
    if channels not in _CHANNELS:
        raise Unmeetable(render(constraint), "a picture has 1, 3 or 4 channels")
    side = whole(*_sides(constraint))

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        sides = (Literal(draw(side)), Literal(draw(side)))
        more = (Literal(channels),) if channels != 3 else ()
        return Call("image", (Literal(form), *sides, *more), _content(draw))

    return drawn()


def _sides(constraint: Constraint) -> Tuple[int, int]:
    low, high = constraint.value("min_side"), constraint.value("max_side")
    if high is None:
        low = _LEAST_SIDE if low is None else max(1, low)
        return low, max(low, _MOST_SIDE)
    if high < 1:
        raise Unmeetable(render(constraint), "a picture has one pixel at least")
    return max(1, min(_LEAST_SIDE, high) if low is None else low), high


def _content(draw: DrawFn) -> Tuple[Tuple[str, Recipe], ...]:
    """Black, a grey, or noise."""
    kind = draw(whole(0, 2))
    if kind == 0:
        return ()
    if kind == 1:
        return (("fill", Literal(draw(whole(0, 255)))),)
    return (("seed", Literal(draw(whole(0, _MOST_SEED)))),)


def paths(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Paths of new files, valid of their kind; the suffix tells it where nothing else does."""
    suffix = constraint.value("suffix") or ""
    suffix = suffix if not suffix or suffix.startswith(".") else f".{suffix}"
    kind = constraint.value("kind") or _kind(suffix)
    if kind not in FILES:
        raise Unmeetable(render(constraint), f"kind is one of {', '.join(FILES)}")
    form = constraint.value("form", "str")
    if form not in ("str", "path"):
        raise Unmeetable(render(constraint), "form is str or path")
    more = (("form", Literal(form)),) if form == "path" else ()
    arguments = (Literal(kind), Literal(suffix)) if suffix else (Literal(kind),)
    return whole(0, _MOST_SEED).map(
        lambda seed: Call("path", arguments, ((("seed", Literal(seed)),) if seed else ()) + more)
    )


def _kind(suffix: str) -> str:
    bare = suffix.lower().lstrip(".")
    if bare in _PICTURES:
        return "image"
    named = _OTHER_NAMES.get(bare, bare)
    return named if named in FILES else "text"
