"""The assessment of whether a target was tested, from counts of the host and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.vocabulary import (
    Broken,
    Coverage,
    Finding,
    MainBranch,
    Skipped,
    Status,
    Tested,
    Verdict,
)

MOST_REASONS = 3
MOST_PLACES = 3
OUT_OF_TIME = "the time budget was spent"
INTERRUPTED = "the run was interrupted"
NOT_RUN = "no run of it was possible"


def assess(
    executions: int, coverage: Coverage, verdicts: Sequence[Verdict]
) -> tuple[Tested, tuple[str, ...]]:
    """Return whether a target was tested, and the reasons where it was not wholly.

    ``verdicts`` are those on the target, and all findings.  A branch that a finding is
    about was judged, also where no input reached it.
    """
    judged = frozenset(
        goal.whole().id
        for verdict in verdicts
        if isinstance(verdict, Finding) and verdict.status is not Status.FLAKY
        for goal in verdict.criterion.goals
    )
    unreached = [each for each in coverage.unreached if each.point not in judged]
    nothing = tuple(_nothing(executions, coverage, unreached, verdicts))
    if nothing:
        return Tested.NO, nothing
    missing = tuple(_missing(coverage, unreached, judged, verdicts))
    return (Tested.PARTLY, missing) if missing else (Tested.YES, ())


def _nothing(
    executions: int,
    coverage: Coverage,
    unreached: Sequence[MainBranch],
    verdicts: Sequence[Verdict],
) -> Iterator[str]:
    """Yield why nothing that was run is a test of the target."""
    if coverage.replaced:
        names = ", ".join(coverage.replaced)
        yield f"it ran on a stand-in for {names}: install the real package to have it tested"
    if not executions:
        said = [
            verdict.error if isinstance(verdict, Broken) else verdict.reason
            for verdict in verdicts
            if isinstance(verdict, Skipped | Broken)
        ]
        yield from list(dict.fromkeys(said))[:MOST_REASONS] or [_stopped(coverage) or NOT_RUN]
    elif not coverage.completed:
        yield from coverage.endings[:MOST_REASONS] or [NOT_RUN]
    elif coverage.main and len(unreached) == coverage.main and not coverage.decided:
        yield f"none of its main branches ran: {_places(unreached)}"


def _stopped(coverage: Coverage) -> str:
    if coverage.interrupted:
        return INTERRUPTED
    return OUT_OF_TIME if coverage.out_of_time else ""


def _missing(
    coverage: Coverage,
    unreached: Sequence[MainBranch],
    judged: frozenset[str],
    verdicts: Sequence[Verdict],
) -> Iterator[str]:
    """Yield what was left untested of a target that was run."""
    if unreached:
        yield f"{len(unreached)} of {coverage.main} main branches did not run: {_places(unreached)}"
    simulated = [each for each in coverage.simulated if each.point not in judged]
    if simulated:
        yield f"reached with simulated answers alone: {_places(simulated)}"
    elif not coverage.answered:
        yield "no input was answered by an engine or a recording"
    for verdict in verdicts:
        if isinstance(verdict, Skipped) and (verdict.our_fault or set(verdict.goals) - judged):
            yield verdict.reason
        elif isinstance(verdict, Broken):
            yield verdict.error
    if coverage.refused:
        yield coverage.refused
    stopped = _stopped(coverage)
    if stopped:
        yield f"{stopped} before its examination ended"


def _places(branches: Sequence[MainBranch]) -> str:
    rest = len(branches) - MOST_PLACES
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(each.place for each in branches[:MOST_PLACES]) + more
