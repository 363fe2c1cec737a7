"""``python -m benchmarks.properties.verify [NAME ...]``: the zoo is what it says it is.

For every case: what is said to fail fails in ``buggy``, with a named exception
at a named line, and not in ``fixed``; and ``fixed`` passes twenty valid inputs.
Each variant is tried in a process of its own.  Exit status 1 where a case is
not as it says.  ``--write`` notes the lines and exceptions that were seen in
``case.toml`` where none are named yet.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.properties.cases import Case, cases

TRIAL = Path(__file__).with_name("trial.py")
RUNS = 20
TOGETHER = 2


@dataclass(frozen=True, slots=True)
class Seen:
    """What one expression did: the exception, the deepest line of the project, if it is refused."""

    expression: str
    exception: str | None
    path: str
    line: int
    refused: bool
    message: str


def tried(case: Case, variant: str) -> list[Seen]:
    """What a case's expressions do in a variant: those that fail, and in ``fixed`` the others."""
    expressions = list(case.fails)
    if variant == "fixed":
        times = -(-RUNS // len(case.passes))
        expressions += [each for each in case.passes for _ in range(times)]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in case.sources(variant).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        asked = {"path": case.path, "setup": case.setup, "expressions": expressions}
        done = subprocess.run(
            [sys.executable, str(TRIAL)],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            cwd=root,
            timeout=300,
            check=False,
        )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return [Seen("", "broken", "", 0, refused=False, message=" ".join(last))]
    return [Seen(**each) for each in json.loads(done.stdout.splitlines()[-1])]


def problems(case: Case, buggy: Sequence[Seen], fixed: Sequence[Seen]) -> list[str]:
    """What is not as the case says."""
    return [*_of_buggy(case, buggy), *_of_fixed(case, fixed)]


def _of_buggy(case: Case, buggy: Sequence[Seen]) -> list[str]:
    found: list[str] = []
    lines = case.lines()
    for seen in buggy:
        if seen.exception is None:
            found.append(f"does not fail in buggy: {seen.expression}")
        elif case.rule == "property/postcondition":
            if seen.exception != "Violated":
                found.append(f"{seen.exception} in buggy: {seen.message}")
        elif seen.exception not in case.exceptions or not _there(seen, lines):
            found.append(
                f"{seen.exception} at {seen.path}:{seen.line} in buggy, not as said: {seen.message}"
            )
    return found


def _there(seen: Seen, lines: Collection[tuple[str, int]]) -> bool:
    return not lines or (seen.path, seen.line) in lines


def _of_fixed(case: Case, fixed: Sequence[Seen]) -> list[str]:
    return [
        f"fails in fixed: {seen.expression}: {seen.exception} {seen.message} line {seen.line}"
        for place, seen in enumerate(fixed)
        if seen.exception is not None
        and not (case.refuses and seen.refused and place < len(case.fails))
    ]


def note(case: Case, buggy: Sequence[Seen]) -> None:
    """Write down where and how a case fails, where it does not say so yet."""
    if case.at or case.rule == "property/postcondition":
        return
    path = case.folder / "case.toml"
    text = path.read_text("utf-8")
    names = sorted({seen.exception for seen in buggy if seen.exception})
    lines = sorted({(seen.path, seen.line) for seen in buggy if seen.path})
    at = [_unique(case, *line) for line in lines]
    begin = text.index("exceptions = ")
    said = f"exceptions = {json.dumps(names)}\n"
    said += f"at = [{', '.join(_literal(each) for each in at)}]\n" if at else ""
    path.write_text(text[:begin] + said + text[text.index("\n", begin) + 1 :], "utf-8")


def _unique(case: Case, path: str, line: int) -> str:
    text = case.sources("buggy")[path].splitlines()[line - 1].strip()
    return text if path == case.path else f"{path}: {text}"


def _literal(text: str) -> str:
    return f"'{text}'" if "'" not in text else json.dumps(text)


def checked(case: Case, *, write: bool) -> list[str]:
    """Try both variants of a case; what is wrong."""
    buggy = tried(case, "buggy")
    if write and not any(seen.exception == "broken" for seen in buggy):
        note(case, buggy)
        case = next(cases([case.name]))
    return problems(case, buggy, tried(case, "fixed"))


def main() -> int:
    """Try the cases and print what is not as they say."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.properties.verify")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    arguments.add_argument("--write", action="store_true", help="note lines that were seen")
    asked = arguments.parse_args()
    chosen = list(cases(asked.names))
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        for case, said in zip(
            chosen, pool.map(lambda each: checked(each, write=asked.write), chosen), strict=True
        ):
            wrong += bool(said)
            for line in said:
                print(f"{case.name}: {line}", flush=True)
    annotated = sum(case.annotated for case in chosen)
    print(
        f"{len(chosen) - wrong} of {len(chosen)} cases are as they say;"
        f" {annotated} annotated, {len(chosen) - annotated} plain"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
