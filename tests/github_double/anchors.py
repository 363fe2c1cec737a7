"""Where comments hang: lines of a pull request's diff, and where they are after a push."""

from __future__ import annotations

from dataclasses import dataclass

from tests.github_double.diffs import FileDiff, Hunk
from tests.github_double.state import Pull, Thread


@dataclass(frozen=True)
class AnchoredLines:
    """A thread's lines in the newest head."""

    line: int
    start: int | None
    position: int
    original_position: int


def base_of(pull: Pull, head: str | None = None) -> str:
    """The merge base that the diff of a pull request starts from."""
    git = pull.repository.git
    return git.merge_base(pull.base_sha, head or pull.head_sha) or pull.base_sha


def files(pull: Pull, head: str | None = None) -> tuple[FileDiff, ...]:
    """The changed files, as of ``head`` (by default the newest)."""
    at = head or pull.head_sha
    return pull.repository.git.diff(base_of(pull, at), at)


def file(pull: Pull, path: str, head: str | None = None) -> FileDiff | None:
    return next((file for file in files(pull, head) if file.path == path), None)


def hunk_text(file: FileDiff, side: str, line: int) -> str:
    """The part of a patch that GitHub shows above a comment."""
    last = file.position(side, line)
    if file.patch is None or last is None:
        return ""
    lines = file.patch.split("\n")[: last + 1]
    starts = [number for number, text in enumerate(lines) if text.startswith("@@")]
    return "\n".join(lines[starts[-1] :])


def now_at(thread: Thread) -> AnchoredLines | None:
    """Where a thread is now; ``None`` when it is outdated or on a whole file."""
    if thread.line is None:
        return None
    current = file(thread.pull, thread.path)
    line = _carried(thread, thread.line, thread.side)
    start = _carried(thread, thread.start, thread.start_side or thread.side)
    if current is None or line is None or (thread.start is not None and start is None):
        return None
    hunk: Hunk | None = current.hunk(thread.side, line)
    if hunk is None:
        return None
    return AnchoredLines(
        line, start, current.position(thread.side, line) or 1, _original_position(thread) or 1
    )


def outdated(thread: Thread) -> bool:
    return not thread.file and now_at(thread) is None


def _original_position(thread: Thread) -> int | None:
    then = file(thread.pull, thread.path, thread.commit)
    return then.position(thread.side, thread.line) if then and thread.line else None


def _carried(thread: Thread, line: int | None, side: str) -> int | None:
    """A line of the thread's commit in the newest head; ``None`` once it was changed."""
    if line is None:
        return None
    pull = thread.pull
    if side == "LEFT":
        before, after = base_of(pull, thread.commit), base_of(pull)
    else:
        before, after = thread.commit, pull.head_sha
    if before == after:
        return line
    shift = 0
    for old, count, _, added in pull.repository.git.moved(before, after, thread.path):
        first = old if count else old + 1
        if count and first <= line < first + count:
            return None
        if first <= line:
            shift += added - count
    return line + shift
