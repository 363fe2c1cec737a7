"""Decisions on whether runs show a defect: pure functions over criteria and runs."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import assert_never

from analyzers.guest.instrumentation.goals import Decision, decisions
from analyzers.source_checks.readers import identities
from analyzers.vocabulary import (
    Alike,
    BranchOutcome,
    Constant,
    Crashes,
    Criterion,
    Died,
    Goal,
    Misses,
    Mixes,
    NotRun,
    Raised,
    Repeats,
    Returned,
    Run,
    RunOutcome,
    TimedOut,
    Turns,
    Violated,
    Violates,
    Written,
)

DEATH = "process died"
UNSTABLE = "its outcome changes from run to run, so base and head are not compared"
_UNSEEN = frozenset(
    {
        tokenize.COMMENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.INDENT,
        tokenize.NEWLINE, tokenize.NL,
    }
)  # fmt: skip
_SCRATCH = re.compile(r"(?:/[^\s'\"/]+)*/inputs-[a-z0-9_]{8}\b")

ENVIRONMENT_EXCEPTIONS = frozenset(
    {
        "BlockingIOError", "BrokenPipeError", "ConnectionAbortedError", "ConnectionError",
        "ConnectionRefusedError", "ConnectionResetError", "EOFError", "FileExistsError",
        "FileNotFoundError", "ImportError", "IsADirectoryError", "KeyboardInterrupt",
        "ModuleNotFoundError", "NotADirectoryError", "OSError", "PermissionError", "SystemExit",
        "TimeoutError", "http.client.RemoteDisconnected", "sqlite3.OperationalError",
        "urllib.error.HTTPError", "urllib.error.URLError", "subprocess.CalledProcessError",
    }
)  # fmt: skip
ENVIRONMENT_PACKAGES = frozenset(
    {
        "_tkinter", "aiobotocore", "aiohttp", "anyio", "azure", "boto3", "botocore", "cv2",
        "django", "google", "grpc", "h11", "httpcore", "httplib2", "httpx", "huggingface_hub",
        "kombu", "mysql", "openai", "psycopg", "psycopg2", "pycurl", "pygame", "pymongo", "pymysql",
        "redis", "requests", "selenium", "serial", "smtplib", "socket", "sqlalchemy", "ssl",
        "tenacity", "tkinter", "tweepy", "urllib3", "websocket", "websockets", "werkzeug",
    }
)  # fmt: skip


def decision_point(goal: Goal, outcome: BranchOutcome | None = None) -> str:
    """Return the id recorded when the goal's decision as a whole turns out so."""
    return f"{goal.decision_id}:{outcome or goal.outcome}"


def outcome_point(goal: Goal, outcome: BranchOutcome | None = None) -> str:
    """Return the id recorded when the goal, of a whole decision or of a clause, turns out so."""
    return replace(goal, outcome=outcome or goal.outcome).id


def reached(goal: Goal, run: Run) -> bool:
    """Return whether the goal's decision turned out as the goal says in ``run``."""
    return decision_point(goal) in run.hits


def is_informative(goal: Goal, run: Run) -> bool:
    """Return whether a run says anything about the goal's decision.

    Not when it never came by for a reason that is not the code's: it could
    not be made, took too long, or missed something outside.
    """
    if any(decision_point(goal, outcome) in run.hits for outcome in BranchOutcome):
        return True
    ending = run.ending
    ours = isinstance(ending, Raised) and ending.standin
    outside = bool(run.outside) or needs_environment(ending)
    return not (isinstance(ending, NotRun | TimedOut) or ours or outside)


def needs_environment(ending: RunOutcome) -> bool:
    """Return whether a run ended with an exception about what a sandbox lacks (network, files)."""
    if not isinstance(ending, Raised):
        return False
    package = ending.exception.partition(".")[0]
    return ending.exception in ENVIRONMENT_EXCEPTIONS or package in ENVIRONMENT_PACKAGES


def is_crash(ending: RunOutcome) -> bool:
    """Return whether a run ended with the code's own failure: neither a refusal nor ours."""
    match ending:
        case Raised():
            ours = ending.refusal or ending.standin or needs_environment(ending)
            return not ours and bool(ending.path)
        case Died():
            return True
        case _:
            return False


def crash_of(ending: RunOutcome) -> tuple[str, str, str] | None:
    """Return the identity of a crash: exception, path and function; or ``None``."""
    if not is_crash(ending):
        return None
    if isinstance(ending, Raised):
        return ending.exception, ending.path, ending.function
    return DEATH, "", ""


def refusal_of(ending: RunOutcome) -> tuple[str, str, str] | None:
    """Return exception, path and function of a refusal by the code itself; or ``None``."""
    if isinstance(ending, Raised) and ending.refusal and ending.path and not ending.standin:
        return ending.exception, ending.path, ending.function
    return None


_SIGNATURE = re.compile(
    r"[\w.]+\(\) (?:got an unexpected keyword|got multiple values|got some positional-only"
    r"|missing \d+ required|takes )"
)


def is_refused_call(ending: RunOutcome) -> bool:
    """Return whether a function's signature refuses a call."""
    if not isinstance(ending, Raised) or not ending.refusal or ending.exception != "TypeError":
        return False
    return _SIGNATURE.match(ending.message) is not None


def all_ran(runs: Sequence[Run]) -> bool:
    """Return whether every probe could be run at all."""
    return bool(runs) and not any(isinstance(run.ending, NotRun) for run in runs)


def is_shown(criterion: Criterion, runs: Sequence[Run]) -> bool:
    """Return whether ``runs`` (one for each probe of the finding) show the defect.

    What is ``Written`` no run shows: see :func:`is_written`.
    """
    match criterion:
        case Crashes():
            wanted = (criterion.exception, criterion.path, criterion.function)
            told = refusal_of if criterion.refused else crash_of
            found = any(told(run.ending) == wanted for run in runs)
        case Misses():
            hits = sum(reached(criterion.goal, run) for run in runs)
            found = bool(runs) and hits / len(runs) < criterion.threshold
        case Mixes():
            classes = runs[: criterion.positives], runs[criterion.positives :]
            found = all(_share(criterion.goal, runs) > criterion.threshold for runs in classes)
        case Constant():
            found = _outcomes(criterion.goal, runs) == {criterion.goal.outcome}
        case Turns():
            outcomes = (outcome_of(run, criterion.branches) for run in runs)
            found = any(now == then for now, then in zip(outcomes, criterion.after, strict=False))
        case Repeats():
            found = any(most_repeated(run, criterion.api) >= criterion.times for run in runs)
        case Alike():
            endings = [run.ending for run in runs if isinstance(run.ending, Returned)]
            same = len({(run.ending, run.hits) for run in runs}) == 1
            found = same and len(endings) == len(runs)
        case Violates():
            broken = [run.ending for run in runs if isinstance(run.ending, Violated)]
            found = any(ending.condition == criterion.condition for ending in broken)
        case Written():
            found = False
        case _:
            assert_never(criterion)
    return found


def is_written(criterion: Written, source: str) -> bool:
    """Return whether what is written stands in a text of its file, as code.

    Compared by tokens: blanks, line breaks and comments do not count, and
    ``keras.backend`` does not stand in ``keras.backends``.  An annotation, which
    is a comment, stands on a line of its own.  What a check has read is read again.
    """
    if criterion.reader:
        return criterion.text in identities(criterion.reader, source)
    if criterion.text.startswith("#"):
        comment = criterion.text.split()
        return any(line.split() == comment for line in source.splitlines())
    wanted, there = list(_tokens(criterion.text)), list(_tokens(source))
    starts = range(len(there) - len(wanted) + 1)
    return bool(wanted) and any(there[n : n + len(wanted)] == wanted for n in starts)


def _tokens(text: str) -> Iterator[str]:
    """Yield the words and signs of Python code, up to where it cannot be read."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.strip()).readline):
            if token.type not in _UNSEEN:
                yield token.string
    except (SyntaxError, tokenize.TokenError):
        return


def _outcomes(goal: Goal, runs: Sequence[Run]) -> set[BranchOutcome]:
    """Return how a decision, or a clause of one, turned out in any of the runs."""
    hits = frozenset[str]().union(*(run.hits for run in runs))
    return {outcome for outcome in BranchOutcome if outcome_point(goal, outcome) in hits}


def most_repeated(run: Run, api: str) -> int:
    """Return how often the most frequent question to an API was asked in a run."""
    asked = Counter(each.digest for each in run.exchanges if each.api == api and each.digest)
    return max(asked.values(), default=0)


def outcome_of(run: Run, branches: Sequence[Goal] = ()) -> str | None:
    """Return what a caller sees of a run: its value, or the type of its exception.

    Where nothing is returned, the ordinals (from 1) of the ``branches`` that
    it took stand for it.  ``None``: the run says nothing about the code.
    """
    match run.ending:
        case Returned("None") if branches:
            taken = [str(n) for n, goal in enumerate(branches, 1) if reached(goal, run)]
            return f"None by {', '.join(taken) or 'no branch'}"
        case Returned(value):
            return _SCRATCH.sub("inputs", value)
        case Raised() as ending if not (ending.standin or needs_environment(ending)):
            return f"raises {ending.exception}"
        case Died():
            return DEATH
        case Violated(condition):
            return f"breaks {condition}"
        case _:
            return None


def _share(goal: Goal, runs: Sequence[Run]) -> float:
    return sum(reached(goal, run) for run in runs) / len(runs) if runs else 0.0


def translate(criterion: Criterion, path: str, ours: str, theirs: str) -> Criterion | None:
    """Return the same criterion on another text of its file, or ``None``.

    A decision is found again by aligning the conditions of its function in
    the two texts; a function or decision that is not there any more cannot
    show the defect.
    """
    if isinstance(criterion, Crashes | Written):
        return replace(criterion, path=path)
    goals = [same_decision(goal, path, ours, theirs) for goal in criterion.goals]
    return _on(criterion, goals)


def relocated(criterion: Criterion, source: str) -> Criterion | None:
    """Return the criterion on another text of its file, without the text it was made on.

    The decision with the same condition is meant, else the one with the same
    ordinal: a repair changes the condition, not the place.
    """
    return _on(criterion, [_located(goal, source) for goal in criterion.goals])


def _on(criterion: Criterion, goals: Sequence[Goal | None]) -> Criterion | None:
    """Return the criterion with other goals; ``None`` where one is missing."""
    there = tuple(goal for goal in goals if goal is not None)
    if len(there) < len(goals):
        return None
    match criterion:
        case Crashes() | Repeats() | Alike() | Violates() | Written():
            return criterion
        case Turns():
            return replace(criterion, branches=there)
        case _:
            return replace(criterion, goal=there[0])


def _located(goal: Goal, source: str) -> Goal | None:
    found = _of_function(source, goal.function)
    same = [d for d in found if d.text == goal.decision_text]
    same.sort(key=lambda decision: abs(decision.ordinal - goal.decision))
    chosen = same or [d for d in found if d.ordinal == goal.decision]
    return _at(goal, goal.path, chosen[0]) if chosen else None


def _at(goal: Goal, path: str, decision: Decision) -> Goal | None:
    """Return the goal at another decision; ``None`` where that has no such clause."""
    clause = goal.clause
    if clause is not None:
        same = (each.ordinal for each in decision.clauses if each.text == goal.text)
        clause = next(same, None)
        if clause is None:
            return None
    return replace(
        goal,
        path=path,
        decision=decision.ordinal,
        clause=clause,
        line=decision.line,
        end_line=decision.end_line,
        decision_text=decision.text,
    )


def same_decision(goal: Goal, path: str, ours: str, theirs: str) -> Goal | None:
    """Return the goal on another text of its file, or ``None`` where its decision is not there."""
    mine = _of_function(ours, goal.function)
    other = _of_function(theirs, goal.function)
    ordinal = _aligned(mine, other, goal.decision)
    if ordinal is None:
        return None
    return _at(goal, path, next(d for d in other if d.ordinal == ordinal))


def _aligned(mine: list[Decision], other: list[Decision], ordinal: int) -> int | None:
    """Return the ordinal of the same decision: by its text, else by its place among those left."""
    index = next((i for i, d in enumerate(mine) if d.ordinal == ordinal), None)
    if index is None:
        return None
    sole = _sole(mine) & _sole(other)
    if mine[index].text in sole:
        return next(d.ordinal for d in other if d.text == mine[index].text)
    left = [d for d in mine if d.text not in sole]
    right = [d for d in other if d.text not in sole]
    place = left.index(mine[index])
    if len(left) == len(right) and left[place].kind == right[place].kind:
        return right[place].ordinal
    matcher = SequenceMatcher(a=[d.text for d in mine], b=[d.text for d in other], autojunk=False)
    for block in matcher.get_matching_blocks():
        if block.a <= index < block.a + block.size:
            return other[block.b + index - block.a].ordinal
    return None


def _sole(decisions: Sequence[Decision]) -> set[str]:
    """Return the texts that stand once."""
    counts = Counter(decision.text for decision in decisions)
    return {text for text, count in counts.items() if count == 1}


def _of_function(source: str, function: str) -> list[Decision]:
    try:
        return [d for d in decisions(source) if d.function == function]
    except SyntaxError:
        return []
