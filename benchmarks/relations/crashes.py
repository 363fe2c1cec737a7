"""Look for crashes, hangs and reads beyond arrays over a whole library.

``python -m benchmarks.relations.crashes --rows FILE [--inputs 200] [--oracles bounds]``
writes rows as they are found, and at the end prints how many calls a second it
made.  What FILE says is done is not done again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from analyzers.guest.inputs.recipes import BadRecipe
from analyzers.guest.relations.fuzzing.fuzz_campaign import FuzzedApi, fuzz
from analyzers.guest.relations.fuzzing.fuzz_workers import FuzzSettings, FuzzSubject
from analyzers.guest.relations.libraries.library_registry import library as installed
from analyzers.guest.relations.library_calls import parse_call
from analyzers.guest.relations.relation_types import CallSource, Library
from analyzers.guest.relations.study.study_inputs import StudyProgress, collect_inputs, spread

CALLS = 60
MEBIBYTE = 1 << 20


def main() -> None:
    asked = _arguments()
    library = _installed("torch")
    texts = _texts(asked.calls, library)
    done = _done(asked.rows)
    wanted = asked.apis.split(",") if asked.apis else sorted(texts)
    subjects = [_subject(name, texts[name], library) for name in wanted if name not in done]
    settings = FuzzSettings(
        inputs=asked.inputs,
        seconds=asked.seconds,
        seed=asked.seed,
        workers=1,
        memory=asked.memory * MEBIBYTE,
        oracles=tuple(name for name in asked.oracles.split(",") if name),
    )
    started, calls, kinds = time.monotonic(), 0, Counter[str]()
    with asked.rows.open("a") as rows:
        for fuzzed in fuzz(subjects, library, settings):
            calls += fuzzed.executions
            kinds.update(row["outcome"][:60] for row in fuzzed.rows)
            _write(fuzzed, rows)
    spent = time.monotonic() - started
    print(f"{calls} calls in {spent:.1f} s: {calls / spent:.0f} a second, shrinking included")
    for kind, count in kinds.most_common():
        print(f"{count:5} {kind}")


def _write(fuzzed: FuzzedApi, rows: Any) -> None:
    for row in fuzzed.rows:
        rows.write(json.dumps(row) + "\n")
    for note in fuzzed.notes:
        rows.write(json.dumps({"kind": "note", "api": fuzzed.api, "note": note}) + "\n")
    about = {"kind": "checked", "name": fuzzed.api, "calls": fuzzed.executions}
    rows.write(json.dumps(about) + "\n")
    rows.flush()


def _installed(name: str) -> Library:
    import_module(name).set_num_threads(1)
    return installed(name)


def _texts(path: Path | None, library: Library) -> dict[str, list[str]]:
    """The valid calls, from the file where it is there."""
    if path is not None and path.exists():
        return dict(json.loads(path.read_text()))
    found = collect_inputs(library, 1, StudyProgress(lambda _: None))
    if path is not None:
        path.write_text(json.dumps(found))
    return found


def _done(path: Path) -> set[str]:
    if not path.exists():
        return set()
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["name"] for row in rows if row["kind"] == "checked"}


def _subject(name: str, texts: list[str], library: Library) -> FuzzSubject:
    calls: list[CallSource] = []
    for text in spread(texts, CALLS):
        try:
            calls.append(parse_call(text, library))
        except BadRecipe:
            continue
    return FuzzSubject(name, tuple(calls))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True, help="where rows are appended")
    parser.add_argument("--calls", type=Path, help="where valid calls are kept between runs")
    parser.add_argument("--apis", help="comma-separated; all by default")
    parser.add_argument("--inputs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0, help="for one call")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", type=int, default=1024, help="MiB for a process")
    parser.add_argument("--oracles", default="", help="comma-separated; none: only how calls end")
    return parser.parse_args()


if __name__ == "__main__":
    main()
