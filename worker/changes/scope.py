"""Which files of a repository are the project's own code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from pathspec import PathSpec
from pathspec.pattern import Pattern

ENVIRONMENTS = (
    ".venv/", "venv/", ".virtualenv/", "virtualenv/", "site-packages/",
    "dist-packages/", "lib/python[23].*/", "__pypackages__/", ".tox/", ".nox/",
    ".eggs/", ".conda/", ".pixi/", "node_modules/", "bower_components/",
    "__pycache__/",
)  # fmt: skip
VENDORED = (
    "vendor/", "vendored/", "_vendor/", "_vendored/", "third_party/",
    "third-party/", "thirdparty/", "3rdparty/",
)  # fmt: skip
GENERATED = (
    "*_pb2.py", "*_pb2_grpc.py", "_generated/", "*.generated.py", "build/lib*/",
    "/build/", "/dist/", "docs/_build/", ".ipynb_checkpoints/",
)  # fmt: skip
DEFAULT_EXCLUDES = ENVIRONMENTS + VENDORED + GENERATED


@dataclass(frozen=True)
class Scope:
    """The globs of the configuration, as gitignore patterns.

    ``include`` empty means everything.  ``exclude`` comes after the default
    excludes, so that ``!vendor/ours/`` takes a folder back in.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def exclusion(self, path: str) -> str | None:
        """Why a path is out of scope, or ``None`` when it is in."""
        if path not in self._known:
            self._known[path] = self._exclusion(path)
        return self._known[path]

    def _exclusion(self, path: str) -> str | None:
        found = self._excluded.check_file(path)
        if found.include and found.index is not None:
            return f"it matches the exclusion `{self._excludes[found.index]}`"
        if self.include and not self._included.match_file(path):
            return "it matches no `include` pattern"
        return None

    @property
    def _excludes(self) -> Sequence[str]:
        return DEFAULT_EXCLUDES + self.exclude

    @cached_property
    def _known(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def _excluded(self) -> PathSpec[Pattern]:
        return PathSpec.from_lines("gitignore", self._excludes)

    @cached_property
    def _included(self) -> PathSpec[Pattern]:
        return PathSpec.from_lines("gitignore", self.include)


WHOLE_PROJECT = Scope()


def environments(paths: Iterable[str]) -> frozenset[str]:
    """The folders that are virtual environments, by their ``pyvenv.cfg``."""
    return frozenset(
        str(PurePosixPath(path).parent) + "/" for path in paths if path.endswith("/pyvenv.cfg")
    )


def installed(path: str) -> bool:
    """Whether a path lies in a tree that a package manager made."""
    return _INSTALLED.match_file(path)


_INSTALLED = PathSpec.from_lines("gitignore", ENVIRONMENTS)
