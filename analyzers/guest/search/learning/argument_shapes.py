"""Shapes of unknown values: what the code's uses of them have shown, and recipes of plain ones."""

from __future__ import annotations

import base64
import inspect
import json
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from ...inputs.recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    PairsRecipe,
    Recipe,
    literal,
)
from ...protocol.argument_decoding import BLANK

TEXT, BYTES, INTEGER, NUMBER, TRUTH, NOTHING = "text", "bytes", "int", "float", "bool", "none"
LIST, MAPPING, OBJECT, CALLABLE, FILE = "list", "mapping", "object", "callable", "file"
INSTANCE = "instance"
"""The kind of an instance of a class of the project: its name is the value, its items are given."""
JSON, BASE64, NUMERAL = "json", "base64", "numeral"
TEXTUAL = frozenset({TEXT, JSON, BASE64, NUMERAL, FILE})
KINDS = frozenset({*TEXTUAL, BYTES, INTEGER, NUMBER, TRUTH, NOTHING, LIST, MAPPING, OBJECT})
PICTURE = "picture"
"""The value of bytes that are a picture."""
DEEPEST = 12
DEEPEST_CLASS = 3
MOST_PARTS = 40
PICTURE_SIZE = (64, 64)
PLAIN_TEXT = "The quick brown fox jumps over the lazy dog."
_PLAIN_BASE64 = base64.b64encode(BLANK).decode()
"""The text of a blank picture."""
_WORDS: Tuple[Tuple[str, str], ...] = (
    (r"ur[il]|link|endpoint", "https://made-up.invalid/page"),
    (r"e_?mail", "someone@made-up.invalid"),
    (r"date|day", "2024-01-31"),
    (r"lang(uage)?|locale", "en"),
    (r"(^|_)(id|key|token|num|number|count|port)$", "1"),
)
_FILE_SUFFIXES: Tuple[Tuple[str, str], ...] = (
    (r"pdf", ".pdf"),
    (r"image|img|photo|picture|frame", ".png"),
    (r"audio|sound|wav|voice|speech", ".wav"),
    (r"json|config", ".json"),
    (r"csv|table", ".csv"),
)
_ANNOTATED: Tuple[Tuple[str, str], ...] = (
    (r"str|AnyStr", TEXT), (r"int", INTEGER), (r"float", NUMBER), (r"bool", TRUTH),
    (r"bytes|bytearray", BYTES), (r"dict|Dict|Mapping|MutableMapping|TypedDict", MAPPING),
    (r"list|List|Sequence|Iterable|Collection|Iterator|set|Set", LIST), (r"Path|PathLike", FILE),
)  # fmt: skip


@dataclass
class ArgumentShape:
    """The shape of one value, at a ``path`` from an argument (``event['Records'][0]``).

    ``kind`` is empty where no use has shown it; ``value`` is the content of a plain kind where
    it is decided.  ``tried`` are kinds that an exception has suggested once.
    """

    path: str
    kind: str = ""
    value: Any = None
    attributes: Dict[str, ArgumentShape] = field(default_factory=dict)
    items: Dict[Union[str, int], ArgumentShape] = field(default_factory=dict)
    result: Optional[ArgumentShape] = None
    content: Optional[ArgumentShape] = None
    is_awaited: bool = False
    tried: List[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The last name of the path."""
        words = re.findall(r"[A-Za-z_]\w*", self.path)
        return str(words[-1]) if words else ""

    @property
    def is_open(self) -> bool:
        """Return whether no use has shown anything of the value."""
        return not (self.kind or self.attributes or self.items or self.result)

    def attribute(self, name: str) -> ArgumentShape:
        """Return the shape of an attribute."""
        if name not in self.attributes:
            self.attributes[name] = ArgumentShape(f"{self.path}.{name}")
        return self.attributes[name]

    def item(self, key: Union[str, int]) -> ArgumentShape:
        """Return the shape of an item."""
        if key not in self.items:
            self.items[key] = ArgumentShape(f"{self.path}[{key!r}]")
        return self.items[key]

    def returned(self) -> ArgumentShape:
        """Return the shape of what a call of the value returns."""
        kind = BYTES if self.name == "read" else ""
        self.result = self.result or ArgumentShape(f"{self.path}()", kind)
        return self.result

    def parsed(self) -> ArgumentShape:
        """Return the shape of what the JSON text says."""
        self.kind, self.value = JSON, None
        self.content = self.content or ArgumentShape(f"json.loads({self.path})")
        return self.content

    def become(self, kind: str, value: Any = None) -> bool:
        """Take a kind; return whether that is new: each kind is suggested once."""
        key = kind if value is None else f"{kind} {value!r}"
        if key in self.tried:
            return False
        self.tried.append(key)
        self.kind, self.value = kind, value
        return True

    # ------------------------------------------------------------------ plain values

    def effective_kind(self) -> str:
        """Return the kind, or the one that the uses suggest."""
        if self.kind:
            return self.kind
        if self.attributes or (self.items and self.result):
            return OBJECT
        if self.items:
            return LIST if all(isinstance(key, int) for key in self.items) else MAPPING
        return CALLABLE if self.result is not None else TEXT

    def plain_text(self) -> str:
        """Return the content of a textual value."""
        if isinstance(self.value, str):
            return self.value
        if self.kind == NUMERAL:
            return "1"
        if self.kind == BASE64:
            return _PLAIN_BASE64
        if self.kind == JSON:
            return json.dumps({} if self.content is None else self.content.plain())
        said = self.name.lower()
        return next((text for word, text in _WORDS if re.search(word, said)), PLAIN_TEXT)

    def file_kind(self) -> Tuple[str, str]:
        """Return the kind and suffix of a file that the value may be the path of."""
        said = f"{self.name} {self.value or ''}".lower()
        suffix = next((made for word, made in _FILE_SUFFIXES if re.search(word, said)), ".txt")
        return {".png": "image", ".txt": "text"}.get(suffix, suffix[1:]), suffix

    def plain(self, depth: int = DEEPEST) -> Any:
        """Return the value as JSON has it."""
        kind = self.effective_kind()
        if depth <= 0:
            return None
        if kind == LIST:
            return [each.plain(depth - 1) for each in self.elements()]
        if kind in (MAPPING, OBJECT, CALLABLE, INSTANCE):
            return {
                str(key): each.plain(depth - 1)
                for key, each in [*self.items.items(), *self.attributes.items()]
            }
        return self.plain_text() if kind in TEXTUAL else self.scalar(kind)

    def scalar(self, kind: str) -> Any:
        """Return the value of a kind that has no parts."""
        if self.value is not None:
            return self.value
        return {INTEGER: 1, NUMBER: 0.5, TRUTH: True}.get(kind)

    def elements(self) -> List[ArgumentShape]:
        """Return the shapes of a list's elements in order: one at least, where none is decided."""
        if self.value == []:
            return []
        places = [key for key in self.items if isinstance(key, int)]
        return [self.item(place) for place in range(max([0, *places]) + 1)][:MOST_PARTS]

    def recipe(self, depth: int = DEEPEST) -> Recipe:
        """Return the recipe of a plain value of this shape; raise :class:`BadRecipe`."""
        if depth <= 0:
            raise BadRecipe("the value is nested too deep")
        kind = self.effective_kind()
        parts: Dict[str, Callable[[int], Recipe]] = {
            LIST: self._list,
            MAPPING: self._mapping,
            CALLABLE: self._function,
            OBJECT: self._object,
            INSTANCE: self._instance,
        }
        if kind in parts:
            return parts[kind](depth - 1)
        if kind == FILE:
            return CallRecipe("path", tuple(map(LiteralRecipe, self.file_kind())))
        if kind == BYTES and self.value == PICTURE:
            return CallRecipe("image", tuple(map(LiteralRecipe, ("bytes", *PICTURE_SIZE))))
        if kind == BYTES:
            return literal(self.plain_text().encode())
        return literal(self.plain_text() if kind in TEXTUAL else self.scalar(kind))

    def _list(self, depth: int) -> Recipe:
        return DisplayRecipe("list", tuple(each.recipe(depth) for each in self.elements()))

    def _mapping(self, depth: int) -> Recipe:
        pairs = [(LiteralRecipe(key), each.recipe(depth)) for key, each in self.items.items()]
        return PairsRecipe(tuple(pairs))

    def _function(self, depth: int) -> Recipe:
        result = self.result or ArgumentShape(f"{self.path}()")
        maker = "coroutine" if result.is_awaited else "function"
        return CallRecipe(maker, (result.recipe(depth),))

    def _instance(self, depth: int) -> Recipe:
        given = [(str(name), each.recipe(depth)) for name, each in self.items.items()]
        return CallRecipe(str(self.value), (), tuple(given))

    def _object(self, depth: int) -> Recipe:
        parts = {**{k: v for k, v in self.items.items() if isinstance(k, str)}, **self.attributes}
        fields = [
            (name, each.recipe(depth))
            for name, each in parts.items()
            if name.isidentifier() and name != "of" and not name.startswith("__")
        ]
        return CallRecipe("config", (), tuple(fields))

    # ------------------------------------------------------------------ between processes

    def as_json(self) -> Dict[str, Any]:
        """Return the shape as JSON has it."""
        return {
            "path": self.path,
            "kind": self.kind,
            "value": self.value,
            "attributes": {name: each.as_json() for name, each in self.attributes.items()},
            "items": [[key, each.as_json()] for key, each in self.items.items()],
            "result": self.result and self.result.as_json(),
            "content": self.content and self.content.as_json(),
            "awaited": self.is_awaited,
            "tried": self.tried,
        }


def shape_of_json(said: Mapping[str, Any]) -> ArgumentShape:
    """Return the shape that :meth:`ArgumentShape.as_json` has written."""
    return ArgumentShape(
        said["path"],
        said["kind"],
        said["value"],
        {name: shape_of_json(each) for name, each in said["attributes"].items()},
        {key: shape_of_json(each) for key, each in said["items"]},
        said["result"] and shape_of_json(said["result"]),
        said["content"] and shape_of_json(said["content"]),
        said["awaited"],
        list(said["tried"]),
    )


Classes = Callable[[str], Any]
"""Finds the class of the project that a dotted name means in the target's file, or ``None``."""


def shape_of_annotation(
    path: str, annotation: str, classes: Classes = lambda _: None
) -> ArgumentShape:
    """Return the shape that a parameter's annotation tells of; an open one for other types."""
    shape = ArgumentShape(path)
    said = re.sub(r"^(?:typing\.|t\.)?Optional\[(.*)\]$|\s*\|\s*None$", r"\1", annotation)
    said = said.strip("'\" ")
    head, _, inner = said.partition("[")
    last = head.rpartition(".")[2]
    shape.kind = next((kind for word, kind in _ANNOTATED if re.fullmatch(word, last)), "")
    if shape.kind == LIST and inner.endswith("]"):
        shape.items[0] = shape_of_annotation(f"{path}[0]", inner[:-1].split(",")[0], classes)
    kind = None if shape.kind or inner or path.count(".") >= DEEPEST_CLASS else classes(head)
    if kind is not None:
        _as_instance(shape, head, kind, classes)
    return shape


def _as_instance(shape: ArgumentShape, name: str, kind: Any, classes: Classes) -> None:
    """Let a value be an instance of a class, made with what its constructor needs."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return
    shape.kind, shape.value = INSTANCE, name
    for each in parameters:
        if each.default is each.empty and each.kind in (
            each.POSITIONAL_OR_KEYWORD,
            each.KEYWORD_ONLY,
        ):
            said = (
                "" if each.annotation is each.empty else inspect.formatannotation(each.annotation)
            )
            path = f"{shape.path}.{each.name}"
            shape.items[each.name] = shape_of_annotation(path, said, classes)
