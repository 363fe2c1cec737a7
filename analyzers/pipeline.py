"""The analyzers, and the one loop that lets them examine targets."""

from __future__ import annotations

import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from analyzers.assembly.assembly_analyzer import AssemblyAnalyzer
from analyzers.assembly.assembly_findings import same_cause
from analyzers.cloud.cloud_analyzer import CloudAnalyzer, asks_cloud
from analyzers.criteria import DEATH
from analyzers.models.models_analyzer import ModelsAnalyzer
from analyzers.ports import Analyzer, Executor
from analyzers.properties.properties_analyzer import PropertiesAnalyzer
from analyzers.relations.relations_analyzer import RelationsAnalyzer
from analyzers.vocabulary import (
    Broken,
    Conclusion,
    Crashes,
    Finding,
    Level,
    Skipped,
    Status,
    Target,
    Tested,
    Verdict,
)

ANALYZERS: tuple[Analyzer, ...] = (
    CloudAnalyzer(),
    PropertiesAnalyzer(),
    RelationsAnalyzer(),
    ModelsAnalyzer(),
    AssemblyAnalyzer(),
)


def analyzers_named(names: Collection[str]) -> tuple[Analyzer, ...]:
    """Return the analyzers of these names, all of them for no names.

    Raises ``KeyError`` with the first unknown name.
    """
    known = {analyzer.name: analyzer for analyzer in ANALYZERS}
    return tuple(known[name] for name in names) if names else ANALYZERS


def concerned_targets(
    analyzers: Sequence[Analyzer], targets: Sequence[Target]
) -> tuple[Target, ...]:
    """Return the targets that one of the analyzers has something to say of."""
    if any(not isinstance(analyzer, CloudAnalyzer) for analyzer in analyzers):
        return tuple(targets)
    return tuple(filter(asks_cloud, targets))


def examine(analyzers: Sequence[Analyzer], target: Target, bench: Executor) -> Iterator[Verdict]:
    """Let every analyzer examine a target; verdicts come as they stand.

    A failure of an analyzer becomes a ``Broken`` verdict and ends only its
    own look at the target.  Code of a framework runs on the framework alone.
    """
    if (obstacle := bench.obstacle(target)) is not None:
        yield obstacle
        return
    for analyzer in analyzers:
        try:
            for verdict in analyzer.examine(target, bench):
                yield _on_real_libraries(analyzer, verdict, bench)
        except Exception as error:  # noqa: BLE001 - the one place where our own failures are caught
            yield _broken(analyzer, target, error)
    if (obstacle := bench.obstacle(target)) is not None:
        yield obstacle


def _on_real_libraries(analyzer: Analyzer, verdict: Verdict, bench: Executor) -> Verdict:
    """Return a verdict, a finding that may rest on a stand-in for a library as not tested."""
    if not isinstance(verdict, Finding) or isinstance(analyzer, CloudAnalyzer):
        return verdict
    if not bench.replaced:
        return verdict
    names = ", ".join(bench.replaced)
    said = f"{verdict.rule} at {verdict.path}:{verdict.line} was seen on a stand-in for {names}"
    return Skipped(verdict.analyzer, verdict.target, f"{said}: not reported")


def explains(special: Finding, general: Finding) -> bool:
    """Return whether a finding tells of the cause of another one, which then need not be told.

    A library call that crashes explains the crash of the function around it:
    both are deaths, or the same exception at the same line.  A crash for a valid input
    says more than an error of the code's own.  What a model's call shows
    explains what its constructor is told of for the same reason.
    """
    rules = (special.rule, general.rule)
    return (rules in _CRASHES and _shows_crash(special, general)) or same_cause(special, general)


def _shows_crash(special: Finding, general: Finding) -> bool:
    one, other = special.criterion, general.criterion
    if special.target != general.target or not isinstance(one, Crashes):
        return False
    if not isinstance(other, Crashes) or one.exception != other.exception:
        return False
    same_line = (special.path, special.line) == (general.path, general.line)
    return one.exception == DEATH or same_line


_CRASHES = frozenset(
    {
        ("relation/crash", "property/crash"),
        ("relation/crash", "code/error"),
        ("relation/crash", "property/removed-api"),
        ("property/crash", "code/error"),
        ("property/removed-api", "property/crash"),
        ("property/removed-api", "code/error"),
    }
)
"""Rules that tell of a crash, each before one that says less of it."""


def without_duplicates(
    findings: Sequence[Finding], texts: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Return the findings in their order, each with a fingerprint of its own.

    Of several with the same one, such as two crashes of a function with one exception, the
    existing one keeps it, else the first in the file.  The others are told apart by the
    code at their lines, so that ignoring one never ignores another.
    """
    taken: set[str] = set()
    found: dict[int, Finding] = {}
    for number, finding in sorted(enumerate(findings), key=lambda each: _seniority(each[1])):
        kinds = _kinds(finding, texts.get(finding.path, ""))
        named = (replace(finding, input_kind=kind) for kind in kinds)
        found[number] = next(each for each in named if each.fingerprint not in taken)
        taken.add(found[number].fingerprint)
    return tuple(found[number] for number in range(len(findings)))


def _seniority(finding: Finding) -> tuple[bool, bool, str, int]:
    status = finding.status
    return status is Status.FIXED, status is not Status.EXISTING, finding.path, finding.line


def _kinds(finding: Finding, text: str) -> Iterator[str]:
    """Yield a finding's kind of input, then with its code, then with a number."""
    yield finding.input_kind
    lines = text.splitlines()
    code = lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""
    yield f"{finding.input_kind} {code}"
    for number in count(2):
        yield f"{finding.input_kind} {code} {number}"


def _broken(analyzer: Analyzer, target: Target, error: Exception) -> Broken:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
    return Broken(analyzer.name, target.id, f"{type(error).__name__} at {where}: {error}")


def conclude(
    verdicts: Sequence[Verdict],
    *,
    tested: Sequence[Tested],
    gate: Conclusion = Conclusion.FAILURE,
    ignored: Collection[str] = (),
    partial: bool = False,
) -> Conclusion:
    """Return the verdict on the whole change (CONTRACT.md, section 1).

    ``tested`` has an entry for each target: success needs all of them tested.  A notice
    is no advice, and never changes the verdict.
    """
    standing = [
        verdict
        for verdict in verdicts
        if isinstance(verdict, Finding)
        and verdict.level is not Level.NOTICE
        and verdict.status is Status.NEW
        and verdict.fingerprint not in ignored
    ]
    if any(finding.level is Level.FAILURE for finding in standing):
        return gate
    if any(_ours(verdict) for verdict in verdicts):
        return Conclusion.ERROR
    if not tested:
        return Conclusion.NEUTRAL if verdicts else Conclusion.SKIPPED
    whole = not partial and all(each is Tested.YES for each in tested)
    return Conclusion.SUCCESS if whole and not standing else Conclusion.NEUTRAL


def _ours(verdict: Verdict) -> bool:
    return isinstance(verdict, Broken) or (isinstance(verdict, Skipped) and verdict.our_fault)
