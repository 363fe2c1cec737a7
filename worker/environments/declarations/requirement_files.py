"""pip's requirement files, read without leaving the tree: names, versions, extras and hashes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from worker.environments.declarations.declaration import (
    Declaration,
    TargetPython,
    checked,
    printable,
    read_requirement,
)
from worker.environments.declarations.tree_files import TreeFiles, Unreadable, joined

MOST_FILES = 50
MOST_LINES = 20_000
_COMMENT = re.compile(r"(^|\s+)#.*$")
_INCLUDE = re.compile(r"(?:-r|--requirement|(-c|--constraint))(?:\s+|=|(?=[^-\s]))(.+)$")
_EDITABLE = re.compile(r"(?:-e|--editable)(?:\s+|=)(.+)$")
_OPTION = re.compile(r"\s--?[A-Za-z]")
_HASH = re.compile(r"--hash[= ]\s*(\S+)")
_PLACE = re.compile(
    r"(?:\.{0,2}/|[A-Za-z]:\\|(?:git|hg|svn|bzr)\+|[a-z]+://)|[^@\s]*\.(?:whl|zip|tar\.gz)$"
)


class RequirementFiles:
    """Reads requirement files of one tree into a declaration."""

    def __init__(self, files: TreeFiles, declaration: Declaration, target: TargetPython) -> None:
        self._files = files
        self._declaration = declaration
        self._target = target
        self._seen: set[tuple[str, bool]] = set()

    def read(self, path: str, *, constrain: bool = False) -> None:
        """Read a file and what it includes; raises ``Unreadable`` for the file itself."""
        text = self._files.text(path)
        self._seen.add((path, constrain))
        if path not in self._declaration.files:
            self._declaration.files.append(path)
        for number, line in logical_lines(text):
            self._line(line, path, f"{path}:{number}", constrain=constrain)

    def _line(self, line: str, path: str, place: str, *, constrain: bool) -> None:
        if include := _INCLUDE.match(line):
            self._include(include, path, place, constrain=constrain)
        elif editable := _EDITABLE.match(line):
            if editable[1].strip().rstrip("/") not in {".", "./."}:
                self._declaration.leave_out(editable[1], "is editable, not in the index", place)
        elif line.startswith("-"):
            option = printable(re.split(r"[\s=]", line)[0], 40)
            self._declaration.note(f"{place}: the option {option} is not heeded")
        elif _PLACE.match(line):
            self._declaration.leave_out(line, "is an address or a path, not in the index", place)
        elif constrain:
            self._constraint(line, place)
        else:
            requirement, hashes = split(line)
            read_requirement(self._declaration, requirement, place, self._target, hashes)

    def _constraint(self, line: str, place: str) -> None:
        wanted = checked(self._declaration, split(line)[0], place, self._target)
        if wanted is not None and wanted.specifier and wanted not in self._declaration.constraints:
            self._declaration.constraints.append(wanted)

    def _include(self, include: re.Match[str], path: str, place: str, *, constrain: bool) -> None:
        name = include[2].strip().strip("\"'")
        inside = None if "://" in name else joined(posixpath.dirname(path), name)
        if inside is None:
            self._declaration.note(f"{place}: {printable(name)} is outside the tree and not read")
            return
        kind = constrain or include[1] is not None
        if (inside, kind) in self._seen:
            return
        if len(self._seen) >= MOST_FILES:
            self._declaration.note(f"{place}: more than {MOST_FILES} files; the rest is not read")
            return
        try:
            self.read(inside, constrain=kind)
        except Unreadable as reason:
            self._declaration.note(f"{place}: {printable(name)}: {reason}")


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments, those that end in a backslash joined."""
    pending, first = "", 0
    for number, line in enumerate(text.splitlines()[:MOST_LINES], 1):
        first = first or number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            pending += line[:-1]
            continue
        whole = _COMMENT.sub("", pending + line).strip()
        if whole:
            yield first, whole
        pending, first = "", 0
    if pending.strip():
        yield first, _COMMENT.sub("", pending).strip()


def split(line: str) -> tuple[str, list[str]]:
    """A requirement and the hashes that stand behind it; other options are dropped."""
    option = _OPTION.search(line)
    if option is None:
        return line, []
    return line[: option.start()].strip(), _HASH.findall(line)
