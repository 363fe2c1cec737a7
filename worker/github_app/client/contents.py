"""Files as they are in a commit."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from pydantic import StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.errors import ForbiddenError, NotFoundError, TooLargeError
from worker.github_app.client.models import Noun, quoted, read, repository_path


class File(Noun):
    """A file's content; GitHub sends none of more than a megabyte."""

    type: StrictStr
    encoding: StrictStr | None = None
    content: StrictStr | None = None


def text(api: Api, repository: str, path: str, commit: str) -> str | None:
    """The file as text, line ends as they are; ``None`` where it cannot be had as such."""
    try:
        file = _file(api, repository, path, commit)
    except (ForbiddenError, TooLargeError):
        return None
    return None if file is None else _decoded(file)


def lacks(
    api: Api, repository: str, path: str, commit: str, defines: Callable[[str], bool]
) -> bool:
    """Say whether a commit certainly has no file of which ``defines`` holds.

    False where GitHub does not send the file, or it is no UTF-8.
    """
    try:
        file = _file(api, repository, path, commit)
    except (ForbiddenError, TooLargeError):
        return False
    if file is None:
        return True
    content = _decoded(file)
    return content is not None and not defines(content.removeprefix("\ufeff"))


def _file(api: Api, repository: str, path: str, commit: str) -> File | None:
    """Return what is at a path; ``None`` where nothing or no file is."""
    parts = path.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        return None
    place = "/".join(quoted(part) for part in parts)
    try:
        answer = api.get(f"{repository_path(repository)}/contents/{place}", {"ref": commit})
    except NotFoundError:
        return None
    file = read(File, answer) if isinstance(answer, dict) else None
    return file if file is not None and file.type == "file" else None


def _decoded(file: File) -> str | None:
    if file.encoding != "base64" or file.content is None:
        return None
    try:
        return base64.b64decode(file.content).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
