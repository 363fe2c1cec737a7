"""A bare git repository, made and read with git itself."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.github_double.diffs import FileDiff, parse

_SHA = re.compile("[0-9a-f]{40}")


class GitError(Exception):
    """git refused."""


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git in ``folder`` and return what it printed."""
    done = subprocess.run(
        ["git", "-c", "core.quotepath=false", "-c", "safe.directory=*", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env=_environment(),
        timeout=600,
        check=False,
    )
    if done.returncode:
        raise GitError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
    return done.stdout


class BareRepository:
    """One bare repository; what never changes (diffs between commits) is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: set[str] = set()
        self._refs: dict[str, str] | None = None
        self.diff = lru_cache(maxsize=512)(self._diff)
        self.merge_base = lru_cache(maxsize=2048)(self._merge_base)
        self.moved = lru_cache(maxsize=2048)(self._moved)
        self.show = lru_cache(maxsize=2048)(self._show)
        self.entry = lru_cache(maxsize=4096)(lambda sha: self.log(("-1", sha))[0])

    @classmethod
    def create(cls, folder: Path, default_branch: str = "main") -> BareRepository:
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--bare", f"--initial-branch={default_branch}")
        with (folder / "config").open("a") as config:
            config.write(
                "[http]\n\treceivepack = true\n[uploadpack]\n\tallowAnySHA1InWant = true\n"
                "\tallowFilter = true\n"
                "[receive]\n\thideRefs = refs/pull\n[gc]\n\tauto = 0\n[core]\n\tfsync = none\n"
            )
        return cls(folder)

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return git(self.folder, *arguments, stdin=stdin)

    @property
    def refs(self) -> dict[str, str]:
        """Every ref with its commit."""
        if self._refs is None:
            lines = self.run("for-each-ref", "--format=%(objectname) %(refname)").decode()
            self._refs = {
                name: sha for sha, _, name in (line.partition(" ") for line in lines.splitlines())
            }
        return self._refs

    def changed_outside(self) -> None:
        """Somebody pushed: read the refs again."""
        self._refs = None

    def head(self, branch: str) -> str | None:
        return self.refs.get(f"refs/heads/{branch}")

    def resolve(self, name: str) -> str | None:
        """The commit that a branch, a tag or a (short) commit name means."""
        for ref in (name, f"refs/{name}", f"refs/heads/{name}", f"refs/tags/{name}"):
            if ref in self.refs:
                return self.refs[ref]
        if name in self._known:
            return name
        if not re.fullmatch("[0-9a-f]{4,40}", name):
            return None
        return self._looked_up(name)

    def _looked_up(self, name: str) -> str | None:
        try:
            sha = (
                self.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()
            )
        except GitError:
            return None
        self._known.add(sha)
        return sha

    def set_ref(self, name: str, sha: str) -> None:
        self.run("update-ref", name, sha)
        self.refs[name] = sha

    def remove_ref(self, name: str) -> None:
        self.run("update-ref", "-d", name)
        self.refs.pop(name, None)

    def commit(
        self,
        branch: str,
        files: Mapping[str, str | bytes | None],
        *,
        message: str = "Change",
        author: str = "somebody",
        parent: str | None = None,
    ) -> str:
        """Commit ``files`` (``None`` removes one) to ``branch``, from ``parent`` or its head."""
        start = parent or self.head(branch)
        email = f"{author} <{author}@users.example>"
        who = f"author {email} now\ncommitter {email} now\n"
        parts = [
            f"commit refs/heads/{branch}\nmark :1\n{who}".encode(),
            _data(message.encode()),
        ]
        if start:
            parts.append(f"from {start}\n".encode())
        for path, content in files.items():
            parts.append(_change(path, content))
        parts.append(b"\nget-mark :1\ndone\n")
        out = self.run(
            "fast-import",
            "--quiet",
            "--force",
            "--done",
            "--date-format=now",
            stdin=b"".join(parts),
        )
        sha = out.decode().strip()
        self.refs[f"refs/heads/{branch}"] = sha
        self._known.add(sha)
        return sha

    def fetch(self, other: BareRepository, sha: str, ref: str) -> None:
        """Take a commit of another repository under ``ref``."""
        if other is not self:
            self.run("fetch", "--quiet", "--no-tags", str(other.folder), f"+{sha}:{ref}")
            self.refs[ref] = sha
        else:
            self.set_ref(ref, sha)

    def merged(self, base: str, head: str, message: str) -> str:
        """A merge commit of two commits; raises ``GitError`` on conflicts."""
        tree = self.run("merge-tree", "--write-tree", base, head).decode().split()[0]
        name = ["-c", "user.name=GitHub", "-c", "user.email=noreply@github.example"]
        made = self.run(*name, "commit-tree", tree, "-p", base, "-p", head, "-m", message)
        return made.decode().strip()

    def _merge_base(self, one: str, other: str) -> str | None:
        try:
            return self.run("merge-base", one, other).decode().strip()
        except GitError:
            return None

    def _diff(self, base: str, head: str) -> tuple[FileDiff, ...]:
        raw = self.run("diff-tree", "-r", "-M", "--raw", "-z", "--abbrev=40", base, head)
        text = self.run("diff-tree", "-r", "-M", "-p", "--no-color", "--full-index", base, head)
        return parse(raw, text)

    def _moved(self, before: str, after: str, path: str) -> tuple[tuple[int, int, int, int], ...]:
        """The changed places of ``path``: old start and count, new start and count."""
        text = self.run("diff-tree", "-r", "-p", "-U0", before, after, "--", path).decode(
            errors="replace"
        )
        found = re.findall(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", text, re.MULTILINE)
        return tuple(
            (int(a), int(b) if b else 1, int(c), int(d) if d else 1) for a, b, c, d in found
        )

    def _show(self, commit: str, path: str) -> bytes | None:
        try:
            return self.run("cat-file", "blob", f"{commit}:{path}")
        except GitError:
            return None

    def log(self, names: tuple[str, ...], limit: int = 250) -> list[dict[str, Any]]:
        """Commits of a range, oldest first, at most ``limit``."""
        shape = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01"
        out = self.run("log", "--reverse", f"--format={shape}", *names).decode(errors="replace")
        found = []
        for entry in filter(str.strip, out.split("\x01")):
            parts = entry.lstrip("\n").split("\x00")
            keys = ("sha", "tree", "parents", "an", "ae", "ad", "cn", "ce", "cd", "message")
            found.append(dict(zip(keys, parts, strict=True)))
        return found[:limit]


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _change(path: str, content: str | bytes | None) -> bytes:
    quoted = '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if content is None:
        return f"D {quoted}\n".encode()
    body = content.encode() if isinstance(content, str) else content
    return f"M 100644 inline {quoted}\n".encode() + _data(body)
