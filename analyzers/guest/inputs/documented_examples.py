"""Python examples in documents and docstrings, run as they stand."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from ..runtime import time_limits
from ..runtime.time_limits import CLOCK
from .observed_calls import CallRecorder

_FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*\{?\.?(\w*)")
_DIRECTIVE = re.compile(r"^(\s*)(\.\. (code-block|code|sourcecode)::\s*(\w*)|.*[^:]::)\s*$")
_PYTHON = ("", "python", "py", "python3", "pycon", "ipython")
_SHARE = 0.3
_SOONEST = 0.2


def run_examples(
    root: str,
    documents: Sequence[str],
    words: Sequence[str],
    seconds: float,
    recorder: CallRecorder,
) -> None:
    """Run the examples that name one of ``words``, each within its share of time.

    Those of one document share their names, as a reader would run them one after the other.
    """
    deadline = time_limits.now() + seconds
    named = re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")\b")
    for path in documents:
        names: Dict[str, Any] = {"__name__": "__main__"}
        for example in _examples(Path(root, path)):
            if named.search(example) is None:
                continue
            remaining = deadline - time_limits.now()
            if remaining < _SOONEST:
                return
            recorder.test = path
            _run(example, names, min(remaining, max(_SOONEST, _SHARE * seconds)), recorder)


def _run(example: str, names: Dict[str, Any], seconds: float, recorder: CallRecorder) -> None:
    quiet = contextlib.redirect_stdout(io.StringIO())
    with contextlib.suppress(BaseException), quiet, CLOCK.limited(seconds), recorder.listening():
        exec(compile(example, "<example>", "exec"), names)


def _examples(path: Path) -> Iterator[str]:
    lines = path.read_text("utf-8", "replace").split("\n")
    for start, end in code_blocks(lines):
        block = lines[start:end]
        typed = any(line.lstrip().startswith(">>> ") for line in block)
        if typed or path.suffix != ".py":
            yield "\n".join(dedented(block))


def code_blocks(lines: List[str]) -> Iterator[Tuple[int, int]]:
    """Yield where the Python blocks of a document begin and end."""
    at = 0
    while at < len(lines):
        fence, directive = _FENCE.match(lines[at]), _DIRECTIVE.match(lines[at])
        end = at + 1
        if fence:
            while end < len(lines) and not lines[end].strip().startswith(fence[2]):
                end += 1
            if fence[3].lower() in _PYTHON:
                yield at + 1, end
            end += 1
        elif directive or lines[at].lstrip().startswith(">>> "):
            indent = _depth(lines[at])
            begin = at + 1 if directive else at
            end = begin
            while end < len(lines) and (
                not lines[end].strip() or _depth(lines[end]) > indent
                if directive
                else lines[end].strip() and _depth(lines[end]) >= indent
            ):
                end += 1
            yield begin, end
            end = max(end, at + 1)
        at = end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def dedented(lines: List[str]) -> List[str]:
    """Return a block without its indentation; of a session, what was typed."""
    depths = [_depth(line) for line in lines if line.strip()]
    plain = [line[min(depths, default=0) :] for line in lines]
    plain = [
        "" if line.strip().startswith(":") and line.strip().endswith(":") else line
        for line in plain
    ]
    if not any(line.startswith(">>> ") for line in plain):
        return plain
    return [line[4:] if line.startswith((">>> ", "... ")) else "" for line in plain]
