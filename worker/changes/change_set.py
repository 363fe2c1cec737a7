"""From two revisions of a checkout to the change set between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from analyzers.vocabulary import ChangeSet, FileChange, Skipped
from worker.changes.checkout import (
    Checkout,
    empty_tree,
    merge_base,
    open_checkout,
    resolve,
)
from worker.changes.git import Git
from worker.changes.python_source import (
    MAX_BYTES,
    UnreadableError,
    canonical,
    is_notebook,
    line_count,
    text_of,
)
from worker.changes.shadow_repository import read_blobs, shadow, store_blob, store_tree
from worker.changes.snapshot import (
    WHOLE_PROJECT,
    ProjectScope,
    Snapshot,
    revision_snapshot,
    worktree_snapshot,
)
from worker.errors import UsageError

_FILE = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def changes_between(git: Git, base: str, head: str) -> tuple[FileChange, ...]:
    """The changes from one tree to another, in the order of their paths."""
    output = git.run(
        "diff-tree", "-r", "-z", "--raw", "--patch", "-M", "-U0", "--text",
        "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", base, head,
    )  # fmt: skip
    if not output:
        return ()
    raw, _, patch = output.partition(b"\0\0")
    records = list(_records(raw + b"\0"))
    patches = _FILE.split(patch)[1:]
    return tuple(_change(record, hunks) for record, hunks in zip(records, patches, strict=True))


@dataclass(frozen=True, slots=True)
class _Record:
    status: str
    old: str
    new: str


def _records(raw: bytes) -> Iterator[_Record]:
    fields = iter(raw.decode().split("\0")[:-1])
    for about in fields:
        status = about.rsplit(" ", 1)[1][0]
        old = next(fields)
        yield _Record(status, old, next(fields) if status in "RC" else old)


def _change(record: _Record, patch: bytes) -> FileChange:
    if record.status == "D":
        return FileChange(record.old, frozenset(), deleted=True)
    lines: set[int] = set()
    removed_at: set[int] = set()
    for hunk in _HUNK.finditer(patch):
        removed, start, added = (int(b"1" if g is None else g) for g in hunk.groups())
        first = start if added else start + 1
        lines.update(range(first, first + added))
        if removed:
            removed_at.add(first - 1)
    return FileChange(
        record.new,
        frozenset(lines),
        old_path=record.old if record.old != record.new else None,
        removed_at=frozenset(removed_at),
    )


ANALYZER = "changes"

_Key: TypeAlias = tuple[str, bool]


def read_changes(
    repository: Path,
    *,
    base: str | None = None,
    head: str | None = None,
    scope: ProjectScope = WHOLE_PROJECT,
    everything: bool = False,
) -> ChangeSet:
    """Return what changed between two revisions of a local checkout, in code files.

    ``base`` defaults to the merge base, ``head`` to the working tree; with ``everything`` all lines
    count and ``base`` is the empty tree.  Raises ``UsageError`` and ``MachineError``.
    """
    checkout = open_checkout(repository)
    if checkout.bare and head is None:
        raise UsageError(f"{repository} is bare, so it has no working tree; pass --head")
    commit = resolve(checkout, head) if head is not None else None
    with shadow(checkout) as git:
        start = _base(checkout, git, base, commit, everything=everything)
        before = revision_snapshot(git, start, scope)
        after = (
            worktree_snapshot(checkout, git, scope)
            if commit is None
            else revision_snapshot(git, commit, scope)
        )
        base_side, head_side = _read_sides(git, before, after)
        differing = {
            path
            for path in before.keys() | after.keys()
            if everything or before.get(path) != after.get(path)
        }
        changes = (
            tuple(_whole(*item) for item in sorted(head_side.texts.items()))
            if everything
            else _between(git, checkout, base_side, head_side, differing)
        )
    return ChangeSet(
        repository=str(checkout.root),
        base=start,
        head=commit,
        changes=changes,
        sources=head_side.texts,
        base_sources=base_side.texts,
        skipped=_skipped(head_side.refused, differing),
    )


def _base(
    checkout: Checkout,
    git: Git,
    base: str | None,
    commit: str | None,
    *,
    everything: bool,
) -> str:
    if base is not None:
        return resolve(checkout, base)
    if everything:
        return empty_tree(checkout.object_format)
    return merge_base(checkout, git, commit)


@dataclass(frozen=True, slots=True)
class _Side:
    texts: Mapping[str, str]
    refused: Mapping[str, str]


def _read_sides(git: Git, *snapshots: Snapshot) -> tuple[_Side, ...]:
    files = [item for snapshot in snapshots for item in snapshot.items()]
    wanted = (file.blob for _, file in files if not file.refusal)
    contents = read_blobs(git, wanted, MAX_BYTES)
    read: dict[_Key, str | UnreadableError] = {}
    for path, file in files:
        key = (file.blob, is_notebook(path))
        if file.blob in contents and key not in read:
            read[key] = _text(path, contents[file.blob])
    return tuple(_side(snapshot, read) for snapshot in snapshots)


def _text(path: str, content: bytes) -> str | UnreadableError:
    try:
        return text_of(path, content)
    except UnreadableError as error:
        return error


def _side(snapshot: Snapshot, read: Mapping[_Key, str | UnreadableError]) -> _Side:
    texts: dict[str, str] = {}
    refused: dict[str, str] = {}
    for path, file in snapshot.items():
        text = read.get((file.blob, is_notebook(path)))
        if file.refusal is not None:
            refused[path] = file.refusal
        elif isinstance(text, str):
            texts[path] = text
        else:
            refused[path] = str(text or "its content is missing from this clone")
    return _Side(texts, refused)


def _between(
    git: Git, checkout: Checkout, base: _Side, head: _Side, differing: AbstractSet[str]
) -> tuple[FileChange, ...]:
    trees = [
        store_tree(
            git,
            {
                path: store_blob(git, checkout.object_format, canonical(text))
                for path, text in side.texts.items()
                if path in differing
            },
        )
        for side in (base, head)
    ]
    return changes_between(git, *trees)


def _whole(path: str, text: str) -> FileChange:
    return FileChange(path, frozenset(range(1, line_count(text) + 1)))


def _skipped(refused: Mapping[str, str], differing: AbstractSet[str]) -> tuple[Skipped, ...]:
    by_reason: dict[str, list[str]] = {}
    for path in sorted(differing & refused.keys()):
        by_reason.setdefault(refused[path], []).append(path)
    return tuple(
        Skipped(ANALYZER, paths[0], _several(reason, len(paths)))
        for reason, paths in by_reason.items()
    )


def _several(reason: str, count: int) -> str:
    return reason if count == 1 else f"{reason} (and so do {count - 1} more files)"
