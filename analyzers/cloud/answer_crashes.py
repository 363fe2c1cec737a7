"""Crashes that an ML answer causes (Keeper, section 4.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analyzers import catalogue
from analyzers.cloud import messages
from analyzers.cloud.api_answers import FREE_FORM_TASKS, says_nothing
from analyzers.cloud.branch_findings import NAME
from analyzers.criteria import DEATH, crash_of, needs_environment
from analyzers.rules.cloud_rules import CRASH
from analyzers.vocabulary import (
    AnswerSource,
    Crashes,
    Died,
    Finding,
    Input,
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
    """Crashes seen in runs of a target; each is reported once, by its line.

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
        """Yield the crashes that are new among the runs, as far as they can be judged."""
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
        """Yield what could not be told: crashes in every run, and wants of the sandbox."""
        for finding in self._held:
            if self._is_settled(finding):
                continue
            exception, at = finding.input_kind, f"{finding.path}:{finding.line}"
            yield Skipped(NAME, self._target.id, messages.always_raised(exception, at))
        open_ = (run for _, run in executed if crash_of(run.ending) not in self._settled)
        reasons = map(_not_the_answers_doing, open_)
        for reason in dict.fromkeys(filter(None, reasons)):
            yield Skipped(NAME, self._target.id, reason)

    def is_an_answers_doing(self, run: Run) -> bool:
        """Return whether an answer can be the cause of how a run ended, as another avoids it."""
        return self._survived and _answered(run)

    def note(self, run: Run) -> None:
        """Mark how a run crashed as told."""
        crash = crash_of(run.ending)
        if crash is not None:
            self._seen.add((crash, _line(run)))

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
    item, nothing = _input(probe), _nothing(run)
    simulated = any(each.source is AnswerSource.SIMULATED for each in run.exchanges)
    api = run.exchanges[-1].api if run.exchanges else ""
    title, told = messages.crash(
        exception,
        message,
        f"{path}:{line}",
        messages.input_in_words(item.kind, item.description) if item else "",
        messages.answer_in_words(api, nothing=nothing, simulated=simulated),
        messages.crash_context(
            item.description if item and item.reading is None else "", nothing=nothing
        ),
    )
    return Finding(
        analyzer=NAME,
        rule=CRASH.id,
        level=Level.WARNING if simulated and _is_of_a_model(api) else CRASH.level,
        path=path,
        line=line,
        end_line=line,
        symbol=f"{path}::{function}",
        target=target.id,
        title=title,
        message=told,
        evidence={
            "exception": exception,
            "raised_at": f"{path}:{line}",
            "answer": run.exchanges[-1].answer if run.exchanges else {},
            "message": message,
            "simulated": simulated,
        },
        probes=(probe,),
        criterion=criterion,
        input_kind=exception,
    )


_PARSING = frozenset({"IndexError", "SyntaxError", "ValueError", "yaml.scanner.ScannerError"})
_DECODING = "JSONDecodeError"


def is_of_parsing(exception: str, message: str) -> bool:
    """Return whether parsing a text, or a missing text, raised an exception."""
    parsing = exception in _PARSING or exception.endswith(_DECODING)
    return parsing or "NoneType" in message


def _is_of_a_model(api: str) -> bool:
    """Return whether a language model answers: its text may be any, and seldom is an odd one."""
    known = catalogue.load_catalogue().apis
    return api in known and known[api].task in FREE_FORM_TASKS


def _line(run: Run) -> int:
    return run.ending.line if isinstance(run.ending, Raised) else 0


def _survives(run: Run) -> bool:
    ending = run.ending
    return isinstance(ending, Returned) or (isinstance(ending, Raised) and ending.refusal)


def _answered(run: Run) -> bool:
    """Return whether an answer can be the cause; what a dead process was told is not known."""
    return bool(run.exchanges) or isinstance(run.ending, Died)


def _not_the_answers_doing(run: Run) -> str | None:
    ending = run.ending
    if not isinstance(ending, Raised):
        return None
    raised = f"{ending.exception} at {ending.path}:{ending.line}"
    if needs_environment(ending):
        return messages.lacks_environment(raised)
    before = bool(crash_of(ending)) and not run.exchanges
    return messages.raised_before_request(raised) if before else None


def made_up(probe: Probe) -> bool:
    """Return whether a probe's answers were made up, so that its input means nothing."""
    return _input(probe) is None


def _input(probe: Probe) -> Input | None:
    """Return the input that mattered: none where the answer was made up."""
    found = probe.inputs[0] if probe.inputs else None
    return None if found is None or found.origin.source == PLAIN else found


def _nothing(run: Run) -> bool:
    apis = catalogue.load_catalogue().apis
    return all(says_nothing(apis.get(each.api), each.answer) for each in run.exchanges)
