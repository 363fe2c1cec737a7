"""Places: where an input enters a function, spelled as its code spells it.

A place is a parameter or a part of one (``image``, ``images[0]``,
``event['body']``, ``update.message.text``, ``request.FILES['image']``), or lies
outside of the function: ``flask.request.form['text']``, ``open('photo.jpg')``,
``input()``, ``sys.argv[1]``, ``cv2.VideoCapture()``, ``streamlit.page['button Send']``.
"""

from __future__ import annotations

import ast
import functools
import keyword
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

INPUT = "input()"
ARGUMENTS = "sys.argv"
CAMERA = "cv2.VideoCapture()"
REQUEST = "flask.request"
SERVICE = "service()"
"""Libraries, services and objects that only the real machine has."""
PAGE = "streamlit.page"
"""Entries of a person on a page of Streamlit, by widget."""
OUTSIDE = (INPUT, ARGUMENTS, CAMERA, REQUEST, SERVICE, PAGE)
LONGEST = 300
LONGEST_LIST = 20
WEB = frozenset(
    ("files", "form", "args", "json", "data", "values", "FILES", "POST", "GET", "body", "method")
)
"""The attributes of a request of Flask, Django or Starlette that hold what was sent."""

Step = Tuple[str, Union[str, int]]
"""``("attribute", name)``, or ``("item", key or index)``."""

T = TypeVar("T")
Parts = Sequence[Tuple[Tuple[Step, ...], T]]


@dataclass(frozen=True)
class InputPath:
    """A root (a parameter's name, or one outside) and the steps from it."""

    root: str
    steps: Tuple[Step, ...] = ()

    def __str__(self) -> str:
        spelled = (f".{n}" if kind == "attribute" else f"[{n!r}]" for kind, n in self.steps)
        return self.root + "".join(spelled)

    def attribute(self, name: str) -> InputPath:
        """The place one attribute further."""
        return InputPath(self.root, (*self.steps, ("attribute", name)))

    def item(self, key: Union[str, int]) -> InputPath:
        """The place one item further."""
        return InputPath(self.root, (*self.steps, ("item", key)))

    @property
    def is_parameter(self) -> bool:
        """Return whether the root is a parameter of the function."""
        return self.root.isidentifier()

    @property
    def file(self) -> Optional[str]:
        """The path that the code opens, where the place is a file."""
        return ast.literal_eval(self.root[5:-1]) if self.root.startswith("open(") else None


def file_path_of(path: str) -> InputPath:
    """The place of a file that the code opens."""
    return InputPath(f"open({path!r})")


@functools.lru_cache(maxsize=1024)
def parse(key: str) -> InputPath:
    """The place that a key spells; raises ``ValueError`` for anything else."""
    if key.isidentifier() and not keyword.iskeyword(key) and len(key) <= LONGEST:
        return InputPath(key)
    try:
        place = None if len(key) > LONGEST else _read(ast.parse(key, mode="eval").body)
    except (SyntaxError, MemoryError, RecursionError):
        place = None
    if place is None or str(place) != key:
        raise ValueError(f"no place: {key[:80]!r}")
    return place


def _read(node: ast.expr) -> Optional[InputPath]:
    root = ast.unparse(node)
    if root in OUTSIDE or _is_file(node):
        return InputPath(root)
    if isinstance(node, ast.Name):
        return InputPath(node.id)
    if isinstance(node, ast.Attribute):
        inner = _read(node.value)
        return inner and inner.attribute(node.attr)
    if isinstance(node, ast.Subscript):
        key = constant(node)
        inner = _read(node.value)
        return None if key is None or inner is None else inner.item(key)
    return None


def constant(node: ast.Subscript) -> Union[str, int, None]:
    """The text, or the index of a short list, that a subscript takes."""
    inner: Any = getattr(node.slice, "value", None)  # -1, and what a Constant holds
    if isinstance(node.slice, ast.UnaryOp):
        return 0 if ast.unparse(node.slice) == "-1" else None
    if type(inner) is int:
        return inner if 0 <= inner < LONGEST_LIST else None
    return inner if isinstance(inner, str) else None


def _is_file(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "open" or node.keywords:
        return False
    path = getattr(node.args[0], "value", None) if len(node.args) == 1 else None
    return isinstance(path, str) and bool(path)


@dataclass(frozen=True)
class ValueBuilder:
    """A builder of containers from their parts: a list, a dictionary, an object."""

    sequence: Callable[[List[Any]], Any]
    mapping: Callable[[Dict[str, Any]], Any]
    thing: Callable[[Dict[str, Any]], Any]
    nothing: Any = None


def build_values(values: Mapping[str, T], build: ValueBuilder) -> Dict[str, Any]:
    """Return what stands at each root, made of its places; ``ValueError`` for no place."""
    parts: Dict[str, List[Tuple[Tuple[Step, ...], T]]] = {}
    for key, value in values.items():
        place = parse(key)
        parts.setdefault(place.root, []).append((place.steps, value))
    return {root: _whole(each, build) for root, each in parts.items()}


def _whole(parts: Parts[Any], build: ValueBuilder) -> Any:
    """Made of its parts; a whole that was given beside them is left out."""
    inner: Dict[Step, List[Tuple[Tuple[Step, ...], Any]]] = {}
    for steps, value in parts:
        if steps:
            inner.setdefault(steps[0], []).append((steps[1:], value))
    if not inner:
        return parts[-1][1]
    made = {step: _whole(each, build) for step, each in inner.items()}
    attributes = {str(name): value for (kind, name), value in made.items() if kind == "attribute"}
    if attributes:
        return build.thing(attributes)
    items = {name: value for (_, name), value in made.items() if isinstance(name, int)}
    if items:
        return build.sequence([items.get(n, build.nothing) for n in range(max(items) + 1)])
    return build.mapping({str(name): value for (_, name), value in made.items()})
