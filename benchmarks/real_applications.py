"""Try Assayer on real applications and pull requests that nobody here wrote.

    python -m benchmarks.real_applications FOLDER > benchmarks/real_applications.md

``FOLDER`` holds clones named ``owner+name``; what is not there is left out.
Their code is never copied: the table names repository, commit and place.
Applications are checked whole (``--all``), pull requests by base and head.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 90
LIMIT = 300


@dataclass(frozen=True)
class Case:
    """One application (``base`` is ``None``) or one pull request."""

    repository: str
    generation: str
    base: str | None = None
    head: str | None = None


APPLICATIONS = (
    Case("steventhan/carbon-hack-sentiment", "language types/enums"),
    Case("richardjpark26/WanderStub", "vision types"),
    Case("larry852/ocr-contratos", "vision.Client() (first generation)"),
    Case("zwang17/SnapTrack-HACK112", "vision types"),
    Case("nikben08/Image-analyzer-chat-bot", "vision types"),
    Case("ertheosiswadi/smart_can", "vision types"),
    Case("OkapalDominic/animal_analysis", "vision and language types/enums"),
    Case("KijanaG/Tone", "language enums/types"),
    Case("beekarthik/JournalBot", "language_v1, request={}"),
    Case("jtkrumlauf/Hapi", "language types/enums"),
    Case("Reckonzz/recipeGO", "proto-plus"),
    Case("laksh22/IngredientPrediction", "vision types"),
)
PULL_REQUESTS = (
    Case("qwerty10w/SBHacks2021", "proto-plus", "5553ec67", "ab6719ac"),
    Case("bestvibes/lahacks-quaranteen", "vision types", "4299adba", "2d07946e"),
    Case("steventhan/carbon-hack-sentiment", "language types", "3a0207ad", "c8722501"),
    Case("f213/selfmailbot", "speech", "75db853b", "1eaa0949"),
    Case("robmarkcole/HASS-amazon-rekognition", "boto3", "9d22992f", "f1f50db6"),
)


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1])
    print(HEADER)
    for title, cases in (("Applications, whole", APPLICATIONS), ("Pull requests", PULL_REQUESTS)):
        print(f"## {title}\n")
        print("| repository | generation | targets | goals reached | executions | verdict | s |")
        print("|---|---|---|---|---|---|---|")
        done = [(case, *checked(case, folder)) for case in cases if (folder / _name(case)).is_dir()]
        for case, report, seconds in done:
            print(_row(case, report, seconds))
        print("\n### Found\n")
        for case, report, _ in done:
            for finding in report.get("findings", ()):
                place = f"`{finding['path']}:{finding['line']}`"
                print(f"- {case.repository} {place}: {finding['level']}, {finding['title']}")
        print("\n### Not tested, by reason\n")
        for reason, count in _reasons(report for _, report, _ in done):
            print(f"- {count} × {reason}")
        print()
    print(LITERATURE.rstrip())


def checked(case: Case, folder: Path) -> tuple[dict[str, Any], float]:
    """The report on a case, and the seconds it took."""
    revisions = ["--base", case.base, "--head", case.head] if case.base and case.head else ["--all"]
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "report.json")
        options = ["--budget", str(SECONDS), "--inputs", "6", "--format", "json", "--quiet"]
        program = [str(Path(sys.executable).parent / "assayer"), "check", str(folder / _name(case))]
        started = time.perf_counter()
        subprocess.run(
            [*program, *revisions, *options, "--output", str(output), "--artifacts", scratch],
            check=False,
            timeout=LIMIT,
        )
        seconds = time.perf_counter() - started
        report = json.loads(output.read_text()) if output.exists() else {}
        return {**report, "commit": _commit(folder / _name(case))}, seconds


def _commit(clone: Path) -> str:
    shown = ["git", "-C", str(clone), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(shown, check=True, capture_output=True, text=True).stdout.strip()


def _name(case: Case) -> str:
    return case.repository.replace("/", "+")


def _row(case: Case, report: dict[str, Any], seconds: float) -> str:
    where = f"{case.base}..{case.head}" if case.base else report.get("commit", "")
    targets = report.get("targets", [])
    reached = sum(t["goals"]["reached"] for t in targets)
    total = sum(t["goals"]["total"] for t in targets)
    executions = report.get("cost", {}).get("executions", 0)
    return (
        f"| {case.repository} {where} | {case.generation} | {len(targets)} | {reached}/{total} "
        f"| {executions} | {report.get('verdict', 'none')} | {seconds:.0f} |"
    )


def _reasons(reports: Any) -> list[tuple[str, int]]:
    kinds: Counter[str] = Counter()
    for report in reports:
        for skipped in report.get("skipped", ()):
            kinds[_kind(skipped["reason"])] += 1
    return kinds.most_common()


def _kind(reason: str) -> str:
    for words in (
        "no engine for",
        "no source of",
        "no answer was found",
        "before any ML API was asked",
        "returned without asking",
        "time budget",
        "the code wants a file",
        "every run ended with",
        "there is no source of inputs",
    ):
        if words in reason:
            return words
    return reason.split("\n", maxsplit=1)[0][:90]


HEADER = """# Real applications and pull requests

Made by `python -m benchmarks.real_applications FOLDER` on 2 cores, offline, with
the local engines (text detection, sentiment) and no provider for image labels:
label conditions are searched, replayed and checked for crashes and constant
conditions, their recall needs a provider. None of this code is in this
repository.
"""

LITERATURE = """## Against the literature (read by hand, 2026-11-20)

| application | reported by Keeper (ICSE 2022) | here |
|---|---|---|
| WanderStub | crash, index out of bounds on an empty result | found: `Text_Extract.py:21`, with the blank picture |
| IngredientPrediction | 3 accuracy failures of labels | missed: needs a provider for labels; its goals are reached |
| carbon-hack-sentiment | improper sentiment threshold | missed: the text comes from Twitter, not from a parameter; found instead: division by zero when all texts are neutral |
| JournalBot | improper sentiment threshold | missed: the condition reads the score back from a database |
| Tone | improper sentiment threshold | missed: the handler needs a web request and a database before the condition |
| SnapTrack-HACK112 | none | crashes: `eval` of what OCR read, indexing of empty texts; "dessert" compared where the API says "Dessert" |
| ocr-contratos | none | crash on a blank picture |

What keeps goals from being reached most: web requests and databases before the
call (9 functions ended before any ML API was asked), fixed file names, APIs
without an engine. A first version reported a `cv2.error` of a missing camera
and a TypeError under an answer with a label in an enum; both led to the rules
that a crash needs an answer which avoids it, that what a sandbox lacks is no
crash, and that made-up answers must be ones an API could give.
"""


if __name__ == "__main__":
    main()
