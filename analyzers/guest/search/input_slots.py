"""Places for an input and their forms: guessed from names and annotations."""

from __future__ import annotations

import ast
import base64
import re
import struct
import zlib
from dataclasses import dataclass
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    MutableMapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ..inputs import project_files
from ..protocol import input_paths
from ..protocol.api_calls import ApiRequest
from ..protocol.input_paths import InputPath
from .code_constants import functions

MOST_FUNCTIONS = 40
_KEYED = ("get", "pop", "getlist", "getall")
_PARTS = {"get_json": "json", "json": "json", "form": "form", "body": "body", "get_data": "data"}
_RAW = ("data", "body")
_CALLS = {
    "input": InputPath(input_paths.INPUT),
    "raw_input": InputPath(input_paths.INPUT),
    "parse_args": InputPath(input_paths.ARGUMENTS).item(1),
}


def places_in(
    sources: Mapping[str, str], path: str, function: str, parameters: Sequence[str]
) -> List[InputPath]:
    """Return the places that a function and those it calls read, in the order of the text."""
    found: Dict[InputPath, None] = {}
    for number, (tree, node) in enumerate(_reached(sources, path, function)):
        names = {name: InputPath(name) for name in parameters} if number == 0 else {}
        reader = _Reader({**_requests(tree), **names})
        reader.visit(node)
        found.update(reader.found)
    return [place for place in found if place.steps or not place.is_parameter]


MOST_STEPS = 3


def parts_used(sources: Mapping[str, str], path: str, function: str) -> Set[str]:
    """Return the names of which a function, or one that it hands them to, uses parts.

    Parts are attributes, items and elements.
    """
    _, node = next(_reached(sources, path, function))
    known: Dict[str, List[Any]] = {}
    for text in sources.values():
        for qualified, each in functions(ast.parse(text.lstrip("\ufeff"))):
            owner, _, name = qualified.rpartition(".")
            known.setdefault(owner if name == "__init__" else name, []).append(each)
    return _parts_of(node, known, MOST_STEPS)


def _parts_of(node: ast.AST, known: Mapping[str, Sequence[Any]], steps: int) -> Set[str]:
    used: List[Any] = [getattr(each, "value", None) for each in ast.walk(node) if _takes_part(each)]
    used += [each.iter for each in ast.walk(node) if isinstance(each, (ast.For, ast.comprehension))]
    found = {each.id for each in used if isinstance(each, ast.Name)}
    for call in ast.walk(node) if steps else ():
        handed = _handed(call) if isinstance(call, ast.Call) else {}
        called = known.get(_name_of(call), ()) if handed else ()
        if len(called) == 1 and called[0] is not node:
            inner = _parts_of(called[0], known, steps - 1)
            taken = _parameters(called[0])
            for name, place in handed.items():
                at = taken[place] if isinstance(place, int) and place < len(taken) else place
                found |= {name} if at in inner else set()
    return found


def _name_of(call: ast.AST) -> str:
    called: Any = getattr(call, "func", None)
    return getattr(called, "attr", getattr(called, "id", ""))


def _handed(call: ast.Call) -> Dict[str, Any]:
    """Return the names that a call hands on, each with its place or keyword."""
    found: Dict[str, Any] = {
        each.id: at for at, each in enumerate(call.args) if isinstance(each, ast.Name)
    }
    named = ((each.value, each.arg) for each in call.keywords)
    found.update({value.id: name for value, name in named if isinstance(value, ast.Name) and name})
    return found


def _parameters(function: Any) -> List[str]:
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _takes_part(node: Any) -> bool:
    is_attribute = isinstance(node, ast.Attribute) and not hasattr(str, node.attr)
    return is_attribute or isinstance(node, ast.Subscript)


def _reached(sources: Mapping[str, str], path: str, function: str) -> Iterator[Any]:
    """The target's node with its module, then those of the functions that it calls."""
    trees = {name: ast.parse(text.lstrip("\ufeff")) for name, text in sources.items()}
    known: Dict[str, List[Any]] = {}
    start: Any = trees[path], trees[path]
    for name, tree in trees.items():
        for qualified, node in functions(tree):
            known.setdefault(node.name, []).append((tree, node))
            if (name, qualified) == (path, function):
                start = tree, node
    waiting, seen = [start], {id(start[1])}
    while waiting and len(seen) <= MOST_FUNCTIONS:
        tree, node = waiting.pop(0)
        yield tree, node
        for called in _called(node):
            for each in known.get(called, ()):
                if id(each[1]) not in seen:
                    seen.add(id(each[1]))
                    waiting.append(each)


def _called(node: ast.AST) -> Iterator[str]:
    for call in _own(node):
        if isinstance(call, ast.Call):
            yield getattr(call.func, "attr", getattr(call.func, "id", ""))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        defines = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if not (defines and isinstance(node, ast.Module)):
            yield child
            yield from _own(child)


def _requests(tree: ast.Module) -> Dict[str, InputPath]:
    """The names that a module has for Flask's request and for the command line."""
    named: Dict[str, InputPath] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("flask", "sys"):
            for alias in node.names:
                root = f"{node.module}.{alias.name}"
                if root in input_paths.OUTSIDE:
                    named[alias.asname or alias.name] = InputPath(root)
    return named


class _Reader(ast.NodeVisitor):
    """Follows names from a place to what is read of it."""

    def __init__(self, names: Dict[str, InputPath]) -> None:
        self._names = names
        self.found: Dict[InputPath, None] = {}

    def visit(self, node: ast.AST) -> None:
        place = self._place(node) if isinstance(node, ast.expr) else None
        if place is not None:
            self.found[place] = None
            return
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._bind(node.targets[0], self._place(node.value))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._draw(node.target, node.iter)
        elif isinstance(node, ast.Compare):
            self._contained(node)
        self._within(node)

    def _within(self, node: ast.AST) -> None:
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for generator in node.generators:
                self.visit(generator)
        for child in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.Module) and isinstance(child, _DEFINITIONS)):
                self.visit(child)

    def _bind(self, target: ast.expr, place: Optional[InputPath]) -> None:
        if isinstance(target, ast.Name):
            if place is None:
                self._names.pop(target.id, None)
            else:
                self._names[target.id] = place

    def _draw(self, target: ast.expr, source: ast.expr) -> None:
        if isinstance(source, ast.Call) and source.args:
            wrapping = getattr(source.func, "id", "")
            if wrapping == "enumerate" and isinstance(target, ast.Tuple):
                target = target.elts[-1]
            if wrapping in ("enumerate", "sorted", "list", "reversed", "tqdm", "set"):
                source = source.args[0]
        place = self._place(source)
        if place is not None and place.is_parameter:
            self._bind(target, place.item(0))
            self.found[place.item(0)] = None

    def _contained(self, node: ast.Compare) -> None:
        """``'image' in request.files``."""
        key = getattr(node.left, "value", None)
        place = self._place(node.comparators[0])
        asks = isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(key, str)
        if asks and place and place.steps and place.steps[-1][1] in input_paths.WEB:
            self.found[place.item(str(key))] = None

    def _place(self, node: Optional[ast.AST]) -> Optional[InputPath]:
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Await):
            return self._place(node.value)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            key = input_paths.constant(node)
            place = self._place(node.value)
            return place if place is None or key is None else place.item(key)
        return self._called(node) if isinstance(node, ast.Call) else None

    def _attribute(self, node: ast.Attribute) -> Optional[InputPath]:
        root = ast.unparse(node) if isinstance(node.value, ast.Name) else ""
        if root in (input_paths.REQUEST, input_paths.ARGUMENTS):
            return InputPath(root)
        if root == "sys.stdin":
            return InputPath(input_paths.INPUT)
        place = self._place(node.value)
        return place if place is None or _is_whole(place) else place.attribute(node.attr)

    def _called(self, node: ast.Call) -> Optional[InputPath]:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in _CALLS:
            return _CALLS[name]
        if name == "loads" and node.args:
            return _parsed(self._place(node.args[0]))
        place = self._place(getattr(node.func, "value", None))
        key = getattr(node.args[0], "value", None) if node.args else None
        if place is None or _is_whole(place):
            return place
        if name in _KEYED and isinstance(key, str):
            return place.item(key)
        return place.attribute(_PARTS[name]) if name in _PARTS else place


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_whole(place: InputPath) -> bool:
    if place.root in (input_paths.INPUT, input_paths.ARGUMENTS):
        return place.root == input_paths.INPUT or bool(place.steps)
    return len(place.steps) > 1 and str(place.steps[0][1]).lower() == "files"


def _parsed(place: Optional[InputPath]) -> Optional[InputPath]:
    if place is None or not place.steps or place.steps[-1][1] not in _RAW:
        return None
    return InputPath(place.root, place.steps[:-1]).attribute("json")


_HINTS: Tuple[Tuple[str, Tuple[str, ...]], ...] = (
    ("path filename file_name fname uri", ("path", "text")),
    ("base64 b64 encoded", ("base64", "bytes")),
    ("array frame ndarray mat", ("numpy", "bytes", "path")),
    ("pil", ("pil", "path")),
    ("image img photo picture pic", ("path", "bytes", "pil", "numpy", "file", "base64")),
    ("content data bytes buffer blob payload", ("bytes", "text", "base64", "path")),
    ("file upload stream fp", ("path", "file", "bytes")),
    ("text sentence review comment message document tweet", ("text", "path", "bytes")),
    ("body string query post", ("text", "path", "bytes")),
    ("url", ("path", "text")),
)
_FORMS = ("path", "text", "bytes", "file", "base64", "pil", "numpy")
_ANNOTATED = {
    "bytes": ("bytes",),
    "bytearray": ("bytes",),
    "BinaryIO": ("file",),
    "FileStorage": ("file",),
    "UploadFile": ("file",),
    "ndarray": ("numpy",),
    "Image": ("pil", "bytes"),
    "Path": ("path",),
}
_KINDS = ("image", "text", "audio")
SUFFIXES = {"text": ".txt", "image": ".png", "audio": ".wav"}
UNFIT = {"text": ("pil", "numpy"), "image": ("text",), "audio": ("text", "pil", "numpy")}
_LIST = re.compile(r"\b(list|List|Sequence|Iterable|Tuple|tuple|Collection)\[(.*)\]")
_MEDIA = {
    "image": project_files.PICTURES,
    "text": project_files.TEXTS,
    "audio": project_files.SOUNDS,
}
MOST_FORMS = 4


@dataclass(frozen=True)
class InputSlot:
    """A place, and how it may take the input; ``kind``: text, image or audio."""

    key: str
    form: str
    kind: str

    @property
    def place(self) -> InputPath:
        """Return where the input goes."""
        return input_paths.parse(self.key)

    @property
    def content(self) -> Dict[str, Any]:
        """The content argument without a content."""
        return {"kind": "content", "form": self.form, "suffix": SUFFIXES[self.kind]}


def kinds_of(entries: Sequence[Mapping[str, Any]]) -> List[str]:
    """Return what the APIs take: pictures, texts, sounds, or (where nothing says) the first two."""
    inputs = [entry.get("input") or {} for entry in entries]
    given = {kind for each in inputs for kind in (each.get("kind"), *each.get("also", ()))}
    return [kind for kind in _KINDS if kind in given] or ["image", "text"]


def of_parameters(parameters: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> List[InputSlot]:
    """The parameters themselves, the likeliest first."""
    ranked: List[Tuple[int, int, InputSlot]] = []
    for number, parameter in enumerate(parameters):
        forms, hinted = _forms(parameter["name"], str(parameter["annotation"] or ""))
        for rank, form in enumerate(forms):
            penalty = rank + (0 if hinted else 3) + (2 if parameter["default"] else 0)
            for kind in kinds:
                if form not in UNFIT[kind]:
                    likely = penalty - (2 if form == "text" else 0)
                    ranked.append((likely, number, InputSlot(parameter["name"], form, kind)))
    return [slot for _, _, slot in sorted(ranked, key=lambda item: item[:2])]


def of_place(place: InputPath, kinds: Sequence[str], annotation: str = "") -> List[InputSlot]:
    """Return what a place may be given; nothing where it is none for an input."""
    if place.file is not None:
        name = place.file.lower()
        fitting = [kind for kind in kinds if name.endswith(_MEDIA[kind])]
        return [InputSlot(str(place), "text" if k == "text" else "bytes", k) for k in fitting]
    return [
        InputSlot(str(place), form, kind)
        for form in _forms_at(place, annotation)
        for kind in kinds
        if form not in UNFIT[kind]
    ]


def _forms_at(place: InputPath, annotation: str) -> Sequence[str]:
    if place.root == input_paths.CAMERA:
        return ("numpy",) if not place.steps else ()
    if place.root == input_paths.INPUT:
        return ("text", "path") if not place.steps else ()
    if place.root == input_paths.ARGUMENTS:
        return () if place.steps in ((), (("item", 0),)) else ("path", "text")
    first = place.steps[0] if place.steps else ("", "")
    if first[0] == "attribute" and (
        first[1] in input_paths.WEB or place.root == input_paths.REQUEST
    ):
        return _sent(str(first[1]), whole=len(place.steps) == 1)
    last = place.steps[-1][1] if place.steps else place.root
    named = last if isinstance(last, str) else place.root.rstrip("s")
    inner = _LIST.search(annotation)
    return _forms(named, inner.group(2) if inner else "")[0][:MOST_FORMS]


def _sent(field: str, *, whole: bool) -> Sequence[str]:
    if field in ("data", "body"):
        return ("bytes", "text") if whole else ("text", "base64", "path")
    if whole or field not in input_paths.WEB - {"method"}:
        return ()
    return ("file",) if field.lower() == "files" else ("text", "base64", "path", "file")


def is_likely(place: InputPath, annotation: Optional[str]) -> bool:
    """Return whether a part of a parameter is a better guess than the whole."""
    kind, name = place.steps[0]
    if kind == "attribute":
        return name in input_paths.WEB and (len(place.steps) > 1 or name in ("data", "body"))
    if name != 0:
        return False
    plural = place.root.endswith("s") and not place.root.endswith("ss")
    return _LIST.search(annotation) is not None if annotation else plural


def is_hinted(parameter: Mapping[str, Any]) -> bool:
    """Return whether the name or annotation of a parameter is that of an input."""
    return _forms(parameter["name"], str(parameter["annotation"] or ""))[1]


def _forms(name: str, annotation: str) -> Tuple[List[str], bool]:
    preferred: List[str] = []
    for word, forms in _ANNOTATED.items():
        if word in annotation:
            preferred += forms
    for words, forms in _HINTS:
        if any(word in name.lower() for word in words.split()):
            preferred += forms
    return list(dict.fromkeys([*preferred, *_FORMS])), bool(preferred)


_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"RIFF", b"II*", b"MM")
_WAVE_HEADER = 44


class Markers:
    """The markers, put among the blobs of a target."""

    def __init__(self, blobs: MutableMapping[str, bytes]) -> None:
        self._texts = [b"Quince jam 7", b"Violet owls 9"]
        self._pictures = [picture(37, 23, b"marker one"), picture(41, 29, b"marker two")]
        self._sounds = [sound(41), sound(53)]
        kinds = {"text": self._texts, "image": self._pictures, "audio": self._sounds}
        for kind, contents in kinds.items():
            for number, content in enumerate(contents):
                blobs[f"marker-{kind}-{number}"] = content

    def argument(self, slot: InputSlot, number: int) -> Dict[str, Any]:
        """The content argument that carries a marker into a slot."""
        return {**slot.content, "blob": f"marker-{slot.kind}-{number}"}

    def carried(self, request: ApiRequest) -> bool:
        """Return whether a request carries the first marker of a kind as it is."""
        content, text = request.content, request.text
        if isinstance(text, (bytes, bytearray)):
            text = bytes(text).decode("utf-8", "replace")
        if isinstance(text, str) and self._texts[0].decode().casefold() in text.casefold():
            return True
        if isinstance(content, str):
            content = content.encode("utf-8", "replace")
        if not isinstance(content, (bytes, bytearray)):
            return False
        whole = (self._pictures[0], self._sounds[0])
        looked_for = [*whole, *map(base64.b64encode, whole), self._sounds[0][_WAVE_HEADER:]]
        return any(marker in content for marker in looked_for)


def contents(requests: Sequence[ApiRequest], slot: InputSlot) -> List[Any]:
    """Return the pictures or sounds asked about, encoded again; or the texts, but no path."""
    if slot.kind == "audio":
        return [request.content for request in requests if request.content]
    if slot.kind == "image":
        pictures = [request.content for request in requests]
        return [p for p in pictures if isinstance(p, bytes) and p.startswith(_MAGIC)]
    if slot.form == "path":
        return []
    return [request.text for request in requests if request.text]


def picture(width: int, height: int, note: bytes) -> bytes:
    """A small valid PNG, grey, with ``note`` as its comment."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    rows = b"".join(
        b"\0" + bytes((x * 5 + y * 3) % 256 for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"tEXt", b"Comment\0" + note)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def sound(step: int) -> bytes:
    """A WAV file of a tenth of a second: 16 bits, 16 kHz, one channel."""
    samples = struct.pack("<1600h", *((n * step) % 8191 for n in range(1600)))
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16)
    data = form + struct.pack("<4sI", b"data", len(samples)) + samples
    return struct.pack("<4sI4s", b"RIFF", len(data) + 4, b"WAVE") + data
