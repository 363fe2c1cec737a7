"""Where an input may go, and in what form: guessed from names and annotations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .. import files, places
from ..places import Place

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
_SUFFIXES = {"text": ".txt", "image": ".png", "audio": ".wav"}
_UNFIT = {"text": ("pil", "numpy"), "image": ("text",), "audio": ("text", "pil", "numpy")}
_LIST = re.compile(r"\b(list|List|Sequence|Iterable|Tuple|tuple|Collection)\[(.*)\]")
_MEDIA = {"image": files.PICTURES, "text": files.TEXTS, "audio": files.SOUNDS}
MOST_FORMS = 4


@dataclass(frozen=True)
class Slot:
    """A place, and how it may take the input; ``kind``: text, image or audio."""

    key: str
    form: str
    kind: str

    @property
    def place(self) -> Place:
        """Where the input goes."""
        return places.parse(self.key)

    @property
    def content(self) -> Dict[str, Any]:
        """The content argument without a content."""
        return {"kind": "content", "form": self.form, "suffix": _SUFFIXES[self.kind]}


def kinds_of(entries: Sequence[Mapping[str, Any]]) -> List[str]:
    """What the APIs take: pictures, texts, sounds, or (where nothing says) the first two."""
    inputs = [entry.get("input") or {} for entry in entries]
    given = {kind for each in inputs for kind in (each.get("kind"), *each.get("also", ()))}
    return [kind for kind in _KINDS if kind in given] or ["image", "text"]


def of_parameters(parameters: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> List[Slot]:
    """The parameters themselves, the likeliest first."""
    ranked: List[Tuple[int, int, Slot]] = []
    for number, parameter in enumerate(parameters):
        forms, hinted = _forms(parameter["name"], str(parameter["annotation"] or ""))
        for rank, form in enumerate(forms):
            penalty = rank + (0 if hinted else 3) + (2 if parameter["default"] else 0)
            for kind in kinds:
                if form not in _UNFIT[kind]:
                    likely = penalty - (2 if form == "text" else 0)
                    ranked.append((likely, number, Slot(parameter["name"], form, kind)))
    return [slot for _, _, slot in sorted(ranked, key=lambda item: item[:2])]


def of_place(place: Place, kinds: Sequence[str], annotation: str = "") -> List[Slot]:
    """What a place may be given; nothing where it is none for an input."""
    if place.file is not None:
        name = place.file.lower()
        fitting = [kind for kind in kinds if name.endswith(_MEDIA[kind])]
        return [Slot(str(place), "text" if k == "text" else "bytes", k) for k in fitting]
    return [
        Slot(str(place), form, kind)
        for form in _forms_at(place, annotation)
        for kind in kinds
        if form not in _UNFIT[kind]
    ]


def _forms_at(place: Place, annotation: str) -> Sequence[str]:
    if place.root == places.CAMERA:
        return ("numpy",) if not place.steps else ()
    if place.root == places.INPUT:
        return ("text", "path") if not place.steps else ()
    if place.root == places.ARGUMENTS:
        return () if place.steps in ((), (("item", 0),)) else ("path", "text")
    first = place.steps[0] if place.steps else ("", "")
    if first[0] == "attribute" and (first[1] in places.WEB or place.root == places.REQUEST):
        return _sent(str(first[1]), whole=len(place.steps) == 1)
    last = place.steps[-1][1] if place.steps else place.root
    named = last if isinstance(last, str) else place.root.rstrip("s")
    inner = _LIST.search(annotation)
    return _forms(named, inner.group(2) if inner else "")[0][:MOST_FORMS]


def _sent(field: str, *, whole: bool) -> Sequence[str]:
    """The forms in which a request holds an input."""
    if field in ("data", "body"):
        return ("bytes", "text") if whole else ("text", "base64", "path")
    if whole or field not in places.WEB - {"method"}:
        return ()
    return ("file",) if field.lower() == "files" else ("text", "base64", "path", "file")


def is_likely(place: Place, annotation: Optional[str]) -> bool:
    """Whether a part of a parameter is a better guess than the whole."""
    kind, name = place.steps[0]
    if kind == "attribute":
        return name in places.WEB and (len(place.steps) > 1 or name in ("data", "body"))
    if name != 0:
        return False
    plural = place.root.endswith("s") and not place.root.endswith("ss")
    return _LIST.search(annotation) is not None if annotation else plural


def _forms(name: str, annotation: str) -> Tuple[List[str], bool]:
    """The forms to try, and whether anything speaks for the first of them."""
    preferred: List[str] = []
    for word, forms in _ANNOTATED.items():
        if word in annotation:
            preferred += forms
    for words, forms in _HINTS:
        if any(word in name.lower() for word in words.split()):
            preferred += forms
    return list(dict.fromkeys([*preferred, *_FORMS])), bool(preferred)
