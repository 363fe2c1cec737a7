"""Files as they are in a commit."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from github.ContentFile import ContentFile

from worker.github_app.client.api import Api
from worker.github_app.client.errors import ForbiddenError, NotFoundError, TooLargeError


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


def _file(api: Api, repository: str, path: str, commit: str) -> ContentFile | None:
    """Return what is at a path; ``None`` where nothing or no file is."""
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        return None
    try:
        file = api.repository(repository).get_contents(path, commit)
    except NotFoundError:
        return None
    return file if isinstance(file, ContentFile) and file.type == "file" else None


def _decoded(file: ContentFile) -> str | None:
    """Return a file's text; GitHub sends none of more than a megabyte."""
    if file.encoding != "base64":
        return None
    try:
        return base64.b64decode(file.content or "").decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
