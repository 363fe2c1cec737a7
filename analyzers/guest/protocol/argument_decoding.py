"""Arguments as the protocol writes them, made into objects."""

from __future__ import annotations

import ast
import base64
import io
import mimetypes
import tempfile
import wave
from pathlib import Path
from typing import Any, Callable, Dict, Generator, Iterator, Mapping, Optional

BLANK = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATUlEQVR42u3PQQ0AAAgEILV/5zOF"
    "DzdoQCepz6aeExAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQELi3"
    "cqoDfaKuZM4AAAAASUVORK5CYII="
)


class Unusable(Exception):  # noqa: N818 - a fact about the input, not an error
    """An argument cannot be made here; says why."""


def decode(argument: Mapping[str, Any], blobs: Mapping[str, bytes]) -> Any:
    """Return the object that an argument stands for; no blob means blank; raise ``Unusable``."""
    kind = argument.get("kind")
    if kind == "literal":
        source = argument["source"]
        try:
            return ast.literal_eval(source)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise Unusable(f"not a Python literal: {source[:80]}") from error
    if kind == "value":
        return argument["value"]
    if kind == "content":
        return _content(argument, blobs)
    raise Unusable(f"an argument of unknown kind {kind!r}")


def evaluate_recipe(place: str, recipe: Any, namespace: Mapping[str, Any]) -> Any:
    """Return the value of a recipe, with the tested module's names; raise ``Unusable``."""
    from ..inputs.recipes import BadRecipe, evaluate, parse

    try:
        tree = parse(recipe) if isinstance(recipe, str) else recipe
        return evaluate(tree, namespace)
    except BadRecipe as error:
        raise Unusable(f"not a recipe: {error}") from error
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise Unusable(f"{place} cannot be made: {said}") from error


def _content(argument: Mapping[str, Any], blobs: Mapping[str, bytes]) -> Any:
    form, digest = argument.get("form", ""), argument.get("blob")
    suffix = argument.get("suffix") or ""
    make = _FORMS.get(form)
    if make is None:
        raise Unusable(f"an input cannot be given as {form!r}")
    if digest is None:
        return make(_blank(form, suffix), suffix or ".png", "blank")
    if digest not in blobs:
        raise Unusable(f"the input {digest[:12]} is missing")
    return make(blobs[digest], suffix, digest)


def _blank(form: str, suffix: str) -> bytes:
    if form == "text" or suffix == ".txt":
        return b""
    if suffix != ".wav":
        return BLANK
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 16000, 0, "NONE", ""))
        sound.writeframes(bytes(3200))
    return file.getvalue()


# ------------------------------------------------------------------- forms

_scratch = ""


def _path(content: bytes, suffix: str, digest: str) -> str:
    global _scratch
    if not _scratch:
        _scratch = tempfile.mkdtemp(prefix="inputs-")
    path = Path(_scratch, f"{digest[:16]}{Path(suffix).name}")
    if not path.exists() or path.stat().st_size != len(content):
        path.write_bytes(content)
    return str(path)


def scratch(name: str) -> Optional[str]:
    """The path of the input that was written under a name, if there is one."""
    path = Path(_scratch, name)
    return str(path) if _scratch and path.exists() else None


def is_scratch(path: str) -> bool:
    """Return whether a path is that of an input which was written for the code."""
    return bool(_scratch) and path.startswith(_scratch)


def blank_path() -> str:
    """The path of a blank picture."""
    return _path(BLANK, ".png", "blank")


class Awaitable(bytes):
    """Bytes that can be awaited: they are there already."""

    def __await__(self) -> Generator[Any, None, bytes]:
        yield from ()
        return bytes(self)


class Upload(io.BytesIO):
    """A file in memory, as Starlette (awaited) and other web frameworks hand it over."""

    name = filename = ""
    content_type = mimetype = type = "application/octet-stream"

    @property
    def file(self) -> Upload:
        """The file itself, under the names that frameworks have for it."""
        return self

    stream = file

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return len(self.getvalue())

    def read(self, size: Optional[int] = -1, /) -> bytes:
        """Read, at once or awaited."""
        return Awaitable(super().read(size))

    def chunks(self, size: Optional[int] = None) -> Iterator[bytes]:
        """The content in pieces."""
        del size
        yield self.getvalue()

    def save(self, target: Any) -> None:
        """Write the content to a path or a file, as an upload can."""
        if hasattr(target, "write"):
            target.write(self.getvalue())
        else:
            Path(target).write_bytes(self.getvalue())


def uploaded(content: bytes, suffix: str, digest: str) -> Upload:
    """Return a file that a person sent, named after the first signs of ``digest``."""
    upload = Upload(content)
    upload.name = upload.filename = f"{digest[:16]}{suffix}"
    kind = mimetypes.guess_type(upload.filename)[0] or upload.content_type
    upload.content_type = upload.mimetype = upload.type = kind
    return upload


def _pil(content: bytes, suffix: str, digest: str) -> Any:
    del suffix, digest
    try:
        from PIL import Image

        image = Image.open(io.BytesIO(content))
        image.load()
    except ImportError as error:
        raise Unusable("Pillow is not installed here") from error
    except OSError as error:
        raise Unusable("Pillow cannot read the input") from error
    return image


def _numpy(content: bytes, suffix: str, digest: str) -> Any:
    """The picture as OpenCV reads it: height x width x 3, blue first, bytes."""
    try:
        import numpy
    except ImportError as error:
        raise Unusable("numpy is not installed here") from error
    image = _pil(content, suffix, digest).convert("RGB")
    return numpy.asarray(image)[:, :, ::-1].copy()


def _text(content: bytes, suffix: str, digest: str) -> str:
    del suffix, digest
    return content.decode("utf-8", "replace")


_FORMS: Dict[str, Callable[[bytes, str, str], Any]] = {
    "path": _path,
    "bytes": lambda content, _suffix, _digest: content,
    "file": uploaded,
    "base64": lambda content, _suffix, _digest: base64.b64encode(content).decode(),
    "text": _text,
    "pil": _pil,
    "numpy": _numpy,
}
