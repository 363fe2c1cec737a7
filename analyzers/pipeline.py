"""The analyzers, and the one loop that lets them examine targets."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from analyzers.catalogue import asks_cloud
from analyzers.criteria import DEATH
from analyzers.detection.import_graph import is_deep_learning
from analyzers.ports import Analyzer, Executor
from analyzers.vocabulary import (
    Broken,
    Crashes,
    Finding,
    Level,
    Reason,
    Skipped,
    Status,
    Target,
    Verdict,
    Written,
)


@dataclass(frozen=True, slots=True)
class _LazyAnalyzer:
    """An analyzer whose code is loaded when it examines its first target."""

    name: str
    load: Callable[[], Analyzer]

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        yield from self.load().examine(target, bench)


def _cloud() -> Analyzer:
    from analyzers.cloud.cloud_analyzer import CloudAnalyzer  # noqa: PLC0415

    return CloudAnalyzer()


def _properties() -> Analyzer:
    from analyzers.properties.properties_analyzer import PropertiesAnalyzer  # noqa: PLC0415

    return PropertiesAnalyzer()


def _relations() -> Analyzer:
    from analyzers.relations.relations_analyzer import RelationsAnalyzer  # noqa: PLC0415

    return RelationsAnalyzer()


def _models() -> Analyzer:
    from analyzers.models.models_analyzer import ModelsAnalyzer  # noqa: PLC0415

    return ModelsAnalyzer()


def _assembly() -> Analyzer:
    from analyzers.assembly.assembly_analyzer import AssemblyAnalyzer  # noqa: PLC0415

    return AssemblyAnalyzer()


CLOUD, PROPERTIES = "cloud", "properties"
ANALYZERS: tuple[Analyzer, ...] = (
    _LazyAnalyzer(CLOUD, _cloud),
    _LazyAnalyzer(PROPERTIES, _properties),
    _LazyAnalyzer("relations", _relations),
    _LazyAnalyzer("models", _models),
    _LazyAnalyzer("assembly", _assembly),
)

IDLE = 0.25
"""The weight of an analyzer that will hardly find work at a target."""


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
    if any(analyzer.name != CLOUD for analyzer in analyzers):
        return tuple(targets)
    return tuple(filter(asks_cloud, targets))


def studies(analyzers: Sequence[Analyzer]) -> bool:
    """Return whether the project's own programs are run for these analyzers."""
    return any(analyzer.name == PROPERTIES for analyzer in analyzers)


def study(targets: Sequence[Target], bench: Executor) -> list[Target]:
    """Run what is run once for all targets of a change: the project's own programs.

    Return the targets: those first that are not as on base in some of them, then what has changed
    itself; among their like those last of which they ran every changed line on both revisions.
    """
    from analyzers.properties.driver_search import driver_study  # noqa: PLC0415

    with suppress(Exception):  # each target asks again, and tells what went wrong
        found = driver_study(bench)
        different = found.different

        def rank(target: Target) -> tuple[bool, bool, bool]:
            changed = target.reason is Reason.CHANGED
            return target.id not in different, not changed, found.covers(target)

        return sorted(targets, key=rank)
    return list(targets)


def examine(analyzers: Sequence[Analyzer], target: Target, bench: Executor) -> Iterator[Verdict]:
    """Let every analyzer examine a target; verdicts come as they stand.

    A failure of an analyzer becomes a ``Broken`` verdict and ends only its
    own look at the target.  Code of a framework runs on the framework alone.
    Each analyzer has a share of the target's time; what it leaves, those after it share.
    What can be read comes first, whatever keeps the target from being run.
    """
    if any(analyzer.name == PROPERTIES for analyzer in analyzers):
        from analyzers.properties.driver_findings import count_driver_runs  # noqa: PLC0415

        with suppress(Exception):  # the analyzer asks again, and tells what went wrong
            count_driver_runs(target, bench)
    yield from read(analyzers, target, bench)
    if (obstacle := bench.obstacle(target)) is not None:
        yield obstacle
        return
    for position, analyzer in enumerate(analyzers):
        compared = bench.base(target.path) is not None
        bench.allot(share_of(analyzer, analyzers[position + 1 :], target, compared=compared))
        try:
            for verdict in analyzer.examine(target, bench):
                yield _on_real_libraries(analyzer, verdict, bench)
        except Exception as error:  # noqa: BLE001 - the one place where our own failures are caught
            yield _broken(analyzer, target, error)
    bench.allot(1.0)
    if (obstacle := bench.obstacle(target)) is not None:
        yield obstacle


def share_of(
    analyzer: Analyzer, later: Sequence[Analyzer], target: Target, *, compared: bool = False
) -> float:
    """Return the part of a target's remaining time for an analyzer, beside those after it.

    Analyzers stand in the order of what a defect costs to find: the cheap oracles come first.
    Where inputs are ``compared`` with base, that tells most.
    """
    if analyzer not in ANALYZERS:
        return 1.0
    own = _weight(analyzer, target, compared=compared)
    others = sum(_weight(each, target, compared=compared) for each in later)
    return own / (own + others)


def _weight(analyzer: Analyzer, target: Target, *, compared: bool) -> float:
    cloud = asks_cloud(target)
    deep = not cloud or is_deep_learning(target)
    match analyzer.name:
        case "cloud":
            return 12.0 if cloud else IDLE
        case "properties":
            return 12.0 if compared and deep else 3.0
        case "models":
            return 4.0 if deep else IDLE
        case _:
            return 2.0 if deep else IDLE


def read(analyzers: Sequence[Analyzer], target: Target, bench: Executor) -> Iterator[Verdict]:
    """Yield what the text of a target shows by itself; nothing of it is run."""
    for analyzer in analyzers:
        if analyzer.name == CLOUD:
            from analyzers.cloud.cloud_analyzer import read_text  # noqa: PLC0415

            try:
                yield from read_text(target, bench)
            except Exception as error:  # noqa: BLE001 - as in ``examine``
                yield _broken(analyzer, target, error)


def settle(analyzers: Sequence[Analyzer], target: Target, bench: Executor) -> Iterator[Verdict]:
    """Yield what the programs showed of a target that were run for the whole change."""
    if any(analyzer.name == PROPERTIES for analyzer in analyzers):
        from analyzers.properties.driver_findings import count_driver_runs, driven  # noqa: PLC0415

        try:
            count_driver_runs(target, bench)
            yield from driven(target, bench)
        except Exception as error:  # noqa: BLE001 - as in ``examine``
            yield Broken(PROPERTIES, target.id, _said(error))


def settle_and_read(
    analyzers: Sequence[Analyzer], target: Target, bench: Executor
) -> Iterator[Verdict]:
    """Yield what is known of a target without further runs."""
    yield from settle(analyzers, target, bench)
    yield from read(analyzers, target, bench)


def _on_real_libraries(analyzer: Analyzer, verdict: Verdict, bench: Executor) -> Verdict:
    """Return a verdict, a finding that may rest on a stand-in for a library as not tested."""
    if not isinstance(verdict, Finding) or analyzer.name == CLOUD:
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
    says more than an error of the code's own.  A finding of a model's call explains one of
    its constructor with the same reason.  A run says more than what was read at its line.
    Of subclasses that inherit the same method one finding is enough, and so is one of what a
    change makes raise elsewhere.  Of what was read twice at a line, the finding of the changed
    function is enough; one that weighs more than a run's stands in its place.
    """
    if _was_run_and_read(special, general) or _is_the_same_crash(special, general):
        return True
    if _was_read_too(special, general):
        return True
    if _is_inherited_too(special, general) or _is_of_same_change(special, general):
        return True
    rules = (special.rule, general.rule)
    return (rules in _CRASHES and _shows_crash(special, general)) or _same_cause(special, general)


def _same_cause(special: Finding, general: Finding) -> bool:
    if general.rule != "assembly/state":
        return False
    from analyzers.assembly.assembly_findings import same_cause  # noqa: PLC0415

    return same_cause(special, general)


def _was_run_and_read(special: Finding, general: Finding) -> bool:
    read = isinstance(general.criterion, Written) and not isinstance(special.criterion, Written)
    return read and (special.path, special.line) == (general.path, general.line)


def _was_read_too(special: Finding, general: Finding) -> bool:
    """Return whether a text shows at a line what another look at it shows, and as much."""
    place = (special.rule, special.path, special.line)
    if not isinstance(special.criterion, Written) or place != (
        general.rule,
        general.path,
        general.line,
    ):
        return False
    if isinstance(general.criterion, Written):
        return special.target == special.symbol != general.target
    return special.level is Level.FAILURE is not general.level


def _is_inherited_too(special: Finding, general: Finding) -> bool:
    """Return whether two subclasses inherit the method that both findings tell of."""
    compared = special.rule == general.rule and special.rule in _OF_METHODS
    same_line = (special.path, special.line) == (general.path, general.line)
    return compared and same_line and special.target < general.target


def _is_of_same_change(special: Finding, general: Finding) -> bool:
    """Return whether both raise where the change touches nothing, because of the same files."""
    causes = special.evidence.get("cause"), general.evidence.get("cause")
    both = special.rule == general.rule == "property/crash" and bool(causes[0])
    return both and causes[0] == causes[1] and _prominence(special) < _prominence(general)


def _prominence(finding: Finding) -> tuple[bool, str, int]:
    return finding.level is not Level.FAILURE, finding.target, finding.line


def _is_the_same_crash(special: Finding, general: Finding) -> bool:
    """Return whether a caller's error is a crash that another target has been told of."""
    if (special.rule, general.rule) != ("cloud/crash", "code/error"):
        return False
    one, other = special.criterion, general.criterion
    same = isinstance(one, Crashes) and isinstance(other, Crashes) and one == other
    return same and (special.path, special.line) == (general.path, general.line)


def _shows_crash(special: Finding, general: Finding) -> bool:
    one, other = special.criterion, general.criterion
    if special.target != general.target or not isinstance(one, Crashes):
        return False
    if not isinstance(other, Crashes) or one.exception != other.exception:
        return False
    same_line = (special.path, special.line) == (general.path, general.line)
    return one.exception == DEATH or same_line


_OF_METHODS = ("behaviour/changed", "property/changed", "model/non-finite")
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
    return Broken(analyzer.name, target.id, _said(error))


def _said(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
    return f"{type(error).__name__} at {where}: {error}"
