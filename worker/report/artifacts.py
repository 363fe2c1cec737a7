"""The files of a report: inputs, reproducers and replays."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzers.catalogue import load_catalogue
from analyzers.criteria import DEATH
from analyzers.vocabulary import Crashes, Finding, Input, Report, Status
from worker.report import replay_file
from worker.report.report_messages import inputs_of
from worker.report.reproducer_calls import comment

_IMPORT = "import "
_TAKEN = '''\
{imports}

def shown():
{body}

def {name}():
    """The library refuses it."""
    import pytest

    with pytest.raises((AssertionError, IndexError, RuntimeError, TypeError, ValueError)):
        shown()


if __name__ == "__main__":
    shown()
'''
_DIES = '''\
import subprocess
import sys
{imports}

def shown():
{body}

def {name}():
    """The process outlives it."""
    assert subprocess.run([sys.executable, __file__], check=False).returncode >= 0


if __name__ == "__main__":
    shown()
'''


def program_test(finding: Finding, program: str, name: str) -> str:
    """Return the text of a pytest file that fails where ``program`` shows ``finding``.

    It fails as long as the program runs (a value should be refused), or its process dies.
    """
    lines = program.strip().splitlines()
    imports = [line for line in lines if line.startswith(_IMPORT)]
    body = textwrap.indent("\n".join(line for line in lines if line not in imports), "    ")
    criterion = finding.criterion
    dies = isinstance(criterion, Crashes) and criterion.exception == DEATH
    form = _DIES if dies else _TAKEN
    code = form.format(
        imports="\n".join(imports) + "\n", body=f"{body.strip(chr(10))}\n", name=name
    )
    return f"{_heading(finding, name)}\n\n{code}"


def _heading(finding: Finding, name: str) -> str:
    said = [
        finding.title,
        "",
        *finding.message.splitlines(),
        "",
        f"    python {name}.py             # what comes of it",
        f"    python -m pytest {name}.py   # fails as long as it does",
        "",
        f"{finding.rule} {finding.fingerprint}, found by Assayer.",
    ]
    return "\n".join(map(comment, said))


_UNSAFE = re.compile(r"[^a-z0-9]+")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class FindingFiles:
    """The files of one finding.  ``inputs`` maps a digest to its file."""

    inputs: Mapping[str, Path]
    replay: Path
    reproducer: Path | None


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The files that were written, by fingerprint, and the texts of both sides, by path."""

    directory: Path
    files: Mapping[str, FindingFiles] = field(default_factory=dict[str, FindingFiles])
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    base: Mapping[str, str] = field(default_factory=dict[str, str])

    def of(self, finding: Finding) -> FindingFiles | None:
        """Return the files of a finding; ``None`` when none were written."""
        return self.files.get(finding.fingerprint)


def write_artifacts(
    report: Report,
    directory: Path,
    sources: Mapping[str, str] | None = None,
    base: Mapping[str, str] | None = None,
) -> Artifacts:
    """Write each finding's inputs, reproducer, replay below ``directory``; raise ``OSError``."""
    paths = {f.path for f in report.findings}
    paths |= {f.suggestion.path for f in report.findings if f.suggestion}
    texts, old = (_texts(side or {}, paths) for side in (sources, base))
    known = load_catalogue().apis
    apis = {t.id: tuple(api for api in t.apis if api in known) for t, _ in report.targets}
    files: dict[str, FindingFiles] = {}
    for finding in report.findings:
        inputs = dict(_write_inputs(finding, directory))
        text = _reproducer(finding, sources or {}, apis.get(finding.target, ()))
        files[finding.fingerprint] = FindingFiles(
            inputs,
            replay_file.write_replay(finding, inputs, directory),
            None if text is None else _write_reproducer(finding, text, directory),
        )
    return Artifacts(directory, files, texts, old)


def _texts(side: Mapping[str, str], paths: set[str]) -> dict[str, str]:
    return {path: side[path] for path in sorted(paths) if path in side}


def _reproducer(finding: Finding, sources: Mapping[str, str], apis: Sequence[str]) -> str | None:
    if finding.status is Status.FIXED:
        return None
    # what writes programs knows the analyzers, which a change without ML does without
    from worker.report.reproducer import reproducer, test_name  # noqa: PLC0415

    if finding.reproducer is not None:
        return program_test(finding, finding.reproducer, test_name(finding))
    return reproducer(finding, sources, apis)


def _write_reproducer(finding: Finding, text: str, directory: Path) -> Path:
    from worker.report.reproducer import test_name  # noqa: PLC0415

    path = directory / f"{test_name(finding)}.py"
    directory.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def _write_inputs(finding: Finding, directory: Path) -> Iterator[tuple[str, Path]]:
    folder = directory / "inputs" / finding.fingerprint
    for number, item in enumerate(inputs_of(finding), 1):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / file_name(item, number)
        path.write_bytes(item.content)
        yield item.digest, path


def file_name(item: Input, number: int) -> str:
    """``03-total-handwritten.png``: a number, a few words, the suffix."""
    words = _UNSAFE.sub("-", item.description.lower()).strip("-")[:LONGEST_NAME].strip("-")
    suffix = item.suffix if _SUFFIX.fullmatch(item.suffix) else ".bin"
    return f"{number:02}-{words or item.kind}{suffix}"
