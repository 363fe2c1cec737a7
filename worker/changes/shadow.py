"""An empty repository of our own that reads another one's objects.

The tested repository's configuration, attributes, hooks and remotes have no
say in it, so trees and differences are read there.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import IO

from worker.changes.checkout import Checkout
from worker.changes.git import SECONDS, Git
from worker.errors import MachineError
from worker.temporary import owned_folder

_OURS = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}


@contextmanager
def shadow(checkout: Checkout) -> Generator[Git]:
    """Lend git in an own bare repository that borrows the checkout's objects."""
    with owned_folder("git") as folder:
        git = Git(folder, _OURS)
        git.run(
            "init", "--quiet", "--bare", "--template=",
            f"--object-format={checkout.object_format}", ".",
        )  # fmt: skip
        alternates = folder / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{checkout.store / 'objects'}\n")
        if checkout.shallow:
            shutil.copyfile(checkout.store / "shallow", folder / "shallow")
        yield git


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
        process = subprocess.Popen(  # noqa: S603 - fixed program, no shell
            git.command("cat-file", "--batch", "--buffer"),
            stdin=requests,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=git.directory,
            env=git.variables,
            bufsize=1 << 20,
        )
        clock = Timer(SECONDS, process.kill)
        clock.start()
        try:
            with process:
                if process.stdout is not None:
                    yield process.stdout
        finally:
            clock.cancel()
            process.kill()


def next_size(stream: IO[bytes]) -> int | None:
    """The size of the next blob in a stream, ``None`` where it is missing.

    The blob's bytes and a line end follow.  Raises ``MachineError`` where
    the stream breaks off.
    """
    header = stream.readline().split()
    if header[1:] == [b"missing"]:
        return None
    if len(header) != 3:
        raise MachineError(
            "git cannot read this repository's objects",
            "Run git fsck, and git gc where it is slow.",
        )
    return int(header[2])


def read_blobs(git: Git, names: Iterable[str]) -> dict[str, bytes]:
    """Read blobs by name, in one pass; a missing one is absent."""
    wanted = [name for name in dict.fromkeys(names) if name]
    contents: dict[str, bytes] = {}
    with blob_stream(git, wanted) as stream:
        for name in wanted:
            size = next_size(stream)
            if size is not None:
                contents[name] = stream.read(size)
                stream.read(1)
    return contents


def _framed(content: bytes) -> bytes:
    return b"blob %d\0" % len(content) + content
