"""Crashes that an ML answer causes (Keeper, section 4.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analyzers import catalogue
from analyzers.cloud.api_answers import says_nothing
from analyzers.cloud.branch_findings import NAME
from analyzers.criteria import DEATH, crash_of, needs_environment
from analyzers.vocabulary import (
    AnswerSource,
    Crashes,
    Died,
    Finding,
    Input,
    InputKind,
    JsonObject,
    Level,
    Probe,
    Raised,
    Returned,
    Run,
    Skipped,
    Target,
)

ExecutedProbe = tuple[Probe, Run]
Crash = tuple[str, str, str]
"""The identity of a crash: exception, path and function."""

PLAIN = "plain"


class CrashLog:
    """Which crashes of a target were seen; each is reported once, by its line.

    Only a crash that some answer avoids is the answer's doing: until a run
    has survived, crashes are held back.  Under made-up answers only the first
    in a function is reported: the others tell of the same missing care.  What the
    code raises by itself (``is_own``) is left to ``code/error``.
    """

    def __init__(self, target: Target, is_own: Callable[[Run], bool] = lambda _: False) -> None:
        self._target = target
        self._is_own = is_own
        self._seen: set[tuple[Crash, int]] = set()
        self._settled: set[Crash] = set()
        self._held: list[Finding] = []
        self._survived = False

    def record(self, executed: Sequence[ExecutedProbe]) -> None:
        """Note whether a run survived; report nothing yet: inputs come first."""
        self._survived = self._survived or any(_survives(run) for _, run in executed)

    def findings(self, executed: Sequence[ExecutedProbe]) -> Iterator[Finding]:
        """The crashes that are new among the runs, as far as they can be judged."""
        self.record(executed)
        for probe, run in executed:
            crash = crash_of(run.ending)
            if not crash or not _answered(run) or self._is_own(run):
                continue
            if self._is_new(crash, run, invented=made_up(probe)):
                self._seen.add((crash, _line(run)))
                self._held.append(crash_finding(self._target, probe.answered(run.exchanges), run))
        if self._survived:
            yield from self._held
            self._held.clear()

    def undecided(self, executed: Sequence[ExecutedProbe]) -> Iterator[Skipped]:
        """What could not be told: crashes in every run, and wants of the sandbox."""
        for finding in self._held:
            if self._is_settled(finding):
                continue
            reason = f"every run ended with {finding.evidence['exception']}"
            yield Skipped(NAME, self._target.id, f"{reason} at {finding.path}:{finding.line}")
        open_ = (run for _, run in executed if crash_of(run.ending) not in self._settled)
        reasons = map(_not_the_answers_doing, open_)
        for reason in dict.fromkeys(filter(None, reasons)):
            yield Skipped(NAME, self._target.id, reason)

    def is_an_answers_doing(self, run: Run) -> bool:
        """Return whether an answer can be the cause of how a run ended, as another avoids it."""
        return self._survived and _answered(run)

    def settle(self, crash: Crash) -> None:
        """Mark a crash as the code's own error."""
        self._settled.add(crash)

    def _is_settled(self, finding: Finding) -> bool:
        told = finding.criterion
        key = (told.exception, told.path, told.function) if isinstance(told, Crashes) else None
        return key in self._settled

    def _is_new(self, crash: Crash, run: Run, *, invented: bool) -> bool:
        if invented:
            return crash[1:] not in {seen[1:] for seen, _ in self._seen}
        return (crash, _line(run)) not in self._seen


def crash_finding(target: Target, probe: Probe, run: Run) -> Finding:
    """Return the finding of a recorded run that crashed."""
    ending = run.ending
    if isinstance(ending, Raised):
        path, line, function = ending.path, ending.line, ending.function
        exception, message = ending.exception, ending.message
        criterion = Crashes(exception, path, function)
    else:
        assert isinstance(ending, Died)
        path, line, function = target.path, target.line, target.function
        exception, message = DEATH, f"signal {ending.signal}"
        criterion = Crashes(DEATH, "", "")
    return Finding(
        analyzer=NAME,
        rule="cloud/crash",
        level=Level.FAILURE,
        path=path,
        line=line,
        end_line=line,
        symbol=f"{path}::{function}",
        target=target.id,
        title=f"{exception} {_crash_context(probe, run)}",
        message=_message(exception, message, f"{path}:{line}", probe, run),
        evidence={
            "exception": exception,
            "raised_at": f"{path}:{line}",
            "answer": _last_answer(run),
            "message": message,
            "simulated": _is_simulated(run),
        },
        probes=(probe,),
        criterion=criterion,
        input_kind=exception,
    )


def _line(run: Run) -> int:
    return run.ending.line if isinstance(run.ending, Raised) else 0


def _survives(run: Run) -> bool:
    ending = run.ending
    return isinstance(ending, Returned) or (isinstance(ending, Raised) and ending.refusal)


def _answered(run: Run) -> bool:
    """Whether an answer can be the cause; what a dead process was told is not known."""
    return bool(run.exchanges) or isinstance(run.ending, Died)


def _not_the_answers_doing(run: Run) -> str | None:
    ending = run.ending
    if not isinstance(ending, Raised):
        return None
    raised = f"{ending.exception} at {ending.path}:{ending.line}"
    if needs_environment(ending):
        return f"{raised}: the code wants a file, device or service that is not there"
    return f"{raised} before an API is asked" if crash_of(ending) and not run.exchanges else None


def _crash_context(probe: Probe, run: Run) -> str:
    item = _input(probe)
    if item is not None and item.reading is None and not _nothing(run):
        return f"on {item.description}"
    return "when the API finds nothing" if _nothing(run) else "on a valid answer of the API"


def made_up(probe: Probe) -> bool:
    """Whether a probe's answers were made up, so that its input means nothing."""
    return _input(probe) is None


def _input(probe: Probe) -> Input | None:
    """The input that mattered: none where the answer was made up."""
    found = probe.inputs[0] if probe.inputs else None
    return None if found is None or found.origin.source == PLAIN else found


def _nothing(run: Run) -> bool:
    apis = catalogue.load_catalogue().apis
    return all(says_nothing(apis.get(each.api), each.answer) for each in run.exchanges)


def _is_simulated(run: Run) -> bool:
    """Return whether an answer of a run was made up."""
    return any(each.source is AnswerSource.SIMULATED for each in run.exchanges)


def _last_answer(run: Run) -> JsonObject:
    return run.exchanges[-1].answer if run.exchanges else {}


def _message(exception: str, text: str, where: str, probe: Probe, run: Run) -> str:
    item = _input(probe)
    given = f"Given {_named(item)}, " if item else "When "
    said = f"`{run.exchanges[-1].api}`" if run.exchanges else "the API"
    shape = "finds nothing" if _nothing(run) else "gives a valid answer"
    shape += " (simulated)" if _is_simulated(run) else ""
    detail = f": {' '.join(text.split())}" if text else ""
    joined = ", and the code raises" if item else ", the code raises"
    return f"{given}{said} {shape}{joined} `{exception}`{detail} at {where}."


def _named(item: Input) -> str:
    if item.description.startswith(("a ", "an ")):
        return item.description
    kinds = {InputKind.IMAGE: "a picture", InputKind.TEXT: "a text", InputKind.AUDIO: "a recording"}
    return f"{kinds.get(item.kind, 'an input')} ({item.description})"
