"""Files as they are in a commit."""

from __future__ import annotations

import base64
import binascii

from pydantic import StrictStr

from worker.github.api import Api
from worker.github.errors import ForbiddenError, NotFoundError, TooLargeError
from worker.github.models import Noun, quoted, read, repository_path


class File(Noun):
    """A file's content; GitHub sends none of more than a megabyte."""

    type: StrictStr
    encoding: StrictStr | None = None
    content: StrictStr | None = None


def text(api: Api, repository: str, path: str, commit: str) -> str | None:
    """The file as text, line ends as they are; ``None`` where it cannot be had as such."""
    parts = path.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        return None
    place = "/".join(quoted(part) for part in parts)
    try:
        answer = api.get(f"{repository_path(repository)}/contents/{place}", {"ref": commit})
    except (NotFoundError, ForbiddenError, TooLargeError):
        return None
    if not isinstance(answer, dict):
        return None
    file = read(File, answer)
    if file.type != "file" or file.encoding != "base64" or file.content is None:
        return None
    try:
        return base64.b64decode(file.content).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
