"""An empty repository of our own that reads another one's objects.

The tested repository's configuration, attributes, hooks and remotes have no
say in it, so trees and differences are read there.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import zlib
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from worker.changes.checkout import Checkout, read_regular
from worker.changes.git import OURS, Git
from worker.errors import MachineError, UsageError
from worker.system.temporary_files import owned_folder

MAX_SHALLOW = 16 << 20

_COMMIT = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")


@contextmanager
def shadow(checkout: Checkout) -> Generator[Git]:
    """Lend git in an own bare repository that borrows the checkout's objects."""
    with owned_folder("git") as folder:
        git = Git(folder, OURS)
        _make_bare(folder, checkout.object_format)
        alternates = folder / "objects" / "info" / "alternates"
        alternates.parent.mkdir()
        alternates.write_bytes(_quoted(checkout.store / "objects"))
        if checkout.shallow:
            place = checkout.store / "shallow"
            try:
                lines = read_regular(place, MAX_SHALLOW).split(b"\n")
            except OSError as error:
                raise UsageError(f"{place} cannot be read: {error}") from error
            (folder / "shallow").write_bytes(
                b"".join(line + b"\n" for line in lines if _COMMIT.fullmatch(line))
            )
        yield git


def _make_bare(folder: Path, object_format: str) -> None:
    """Lay out an empty bare repository (gitrepository-layout(5)) without starting git."""
    for name in ("objects", "refs"):
        (folder / name).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    (folder / "config").write_text(
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n"
        f"[extensions]\n\tobjectFormat = {object_format}\n",
        encoding="ascii",
    )


def _quoted(folder: Path) -> bytes:
    """A line of ``objects/info/alternates``, whatever the path is made of."""
    special = b'"\\' + bytes(range(32))
    path = b"".join(
        b"\\%03o" % byte if byte in special else bytes([byte]) for byte in os.fsencode(folder)
    )
    return b'"%s"\n' % path


def object_name(object_format: str, content: bytes) -> str:
    """The name that git gives to a blob."""
    return hashlib.new(object_format, _framed(content)).hexdigest()


def store_blob(git: Git, object_format: str, content: bytes) -> str:
    """Write a blob into a shadow repository; return its name."""
    name = object_name(object_format, content)
    place = git.directory / "objects" / name[:2] / name[2:]
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(zlib.compress(_framed(content), 1))
    return name


def store_tree(git: Git, blobs: Mapping[str, str]) -> str:
    """Write a tree of regular files (path to blob name); return its name."""
    index = {"GIT_INDEX_FILE": str(git.directory / "tree-index")}
    lines = "".join(f"100644 {name}\t{path}\0" for path, name in blobs.items())
    git.run("read-tree", "--empty", environment=index)
    git.run("update-index", "-z", "--index-info", stdin=lines.encode(), environment=index)
    return git.run("write-tree", environment=index).decode().strip()


@contextmanager
def blob_stream(git: Git, names: Iterable[str]) -> Generator[IO[bytes]]:
    """Lend the output of ``git cat-file --batch`` on the names, in their order."""
    with tempfile.TemporaryFile() as requests:
        requests.write("\n".join(names).encode())
        requests.seek(0)
        with git.output("cat-file", "--batch", "--buffer", stdin=requests) as stream:
            yield stream


def next_size(stream: IO[bytes]) -> int | None:
    """Return the next blob's size in a stream, ``None`` if missing; raise ``MachineError``."""
    header = stream.readline().split()
    if header[1:] == [b"missing"]:
        return None
    if len(header) != 3:
        raise MachineError(
            "git cannot read this repository's objects",
            "Run git fsck, and git gc where it is slow.",
        )
    return int(header[2])


def read_blobs(git: Git, names: Iterable[str], most: int) -> dict[str, bytes]:
    """Read blobs by name in one pass; those missing or above ``most`` bytes are absent."""
    wanted = [name for name in dict.fromkeys(names) if name]
    contents: dict[str, bytes] = {}
    with blob_stream(git, wanted) as stream:
        for name in wanted:
            size = next_size(stream)
            if size is None:
                continue
            if size <= most:
                contents[name] = stream.read(size)
            else:
                pass_over(stream, size)
            stream.read(1)
    return contents


def pass_over(stream: IO[bytes], size: int) -> None:
    """Take ``size`` bytes from a stream and forget them."""
    while size > 0 and (piece := stream.read(min(size, 1 << 20))):
        size -= len(piece)


def _framed(content: bytes) -> bytes:
    return b"blob %d\0" % len(content) + content
