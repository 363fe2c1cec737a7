"""When do runs show a defect?  Pure functions over criteria and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import assert_never

from analyzers.guest.goals import Decision, decisions
from analyzers.vocabulary import (
    Constant,
    Crashes,
    Criterion,
    Died,
    Ending,
    Goal,
    Misses,
    Mixes,
    NotRun,
    Outcome,
    Raised,
    Run,
    TimedOut,
)

DEATH = "process died"

WORLDLY_EXCEPTIONS = frozenset(
    {
        "BlockingIOError", "BrokenPipeError", "ConnectionAbortedError", "ConnectionError",
        "ConnectionRefusedError", "ConnectionResetError", "EOFError", "FileExistsError",
        "FileNotFoundError", "ImportError", "IsADirectoryError", "KeyboardInterrupt",
        "ModuleNotFoundError", "NotADirectoryError", "OSError", "PermissionError", "SystemExit",
        "TimeoutError", "http.client.RemoteDisconnected", "sqlite3.OperationalError",
        "urllib.error.HTTPError", "urllib.error.URLError", "subprocess.CalledProcessError",
    }
)  # fmt: skip
WORLDLY_PACKAGES = frozenset(
    {
        "_tkinter", "aiobotocore", "aiohttp", "anyio", "azure", "boto3", "botocore", "cv2",
        "django", "google", "grpc", "h11", "httpcore", "httplib2", "httpx", "huggingface_hub",
        "kombu", "mysql", "openai", "psycopg", "psycopg2", "pycurl", "pygame", "pymongo", "pymysql",
        "redis", "requests", "selenium", "serial", "smtplib", "socket", "sqlalchemy", "ssl",
        "tenacity", "tkinter", "tweepy", "urllib3", "websocket", "websockets", "werkzeug",
    }
)  # fmt: skip


def decision_point(goal: Goal, outcome: Outcome | None = None) -> str:
    """The id recorded when the goal's decision as a whole turns out so."""
    return f"{goal.decision_id}:{outcome or goal.outcome}"


def reached(goal: Goal, run: Run) -> bool:
    """Whether the goal's decision turned out as the goal says in ``run``."""
    return decision_point(goal) in run.hits


def tells(goal: Goal, run: Run) -> bool:
    """Whether a run says anything about the goal's decision.

    Not when it never came by for a reason that is not the code's: it could
    not be made, took too long, or missed something outside.
    """
    if any(decision_point(goal, outcome) in run.hits for outcome in Outcome):
        return True
    ending = run.ending
    ours = isinstance(ending, Raised) and ending.standin
    outside = bool(run.outside) or wants_world(ending)
    return not (isinstance(ending, NotRun | TimedOut) or ours or outside)


def wants_world(ending: Ending) -> bool:
    """An exception that tells of what a sandbox lacks: network, files, devices."""
    if not isinstance(ending, Raised):
        return False
    package = ending.exception.partition(".")[0]
    return ending.exception in WORLDLY_EXCEPTIONS or package in WORLDLY_PACKAGES


def is_crash(ending: Ending) -> bool:
    """An ending that is the code's own failure: neither a refusal nor ours."""
    match ending:
        case Raised():
            ours = ending.refusal or ending.standin or wants_world(ending)
            return not ours and bool(ending.path)
        case Died():
            return True
        case _:
            return False


def crash_of(ending: Ending) -> tuple[str, str, str] | None:
    """The identity of a crash: exception, path and function; or ``None``."""
    if not is_crash(ending):
        return None
    if isinstance(ending, Raised):
        return ending.exception, ending.path, ending.function
    return DEATH, "", ""


def decided(runs: Sequence[Run]) -> bool:
    """Whether every probe could be run at all."""
    return bool(runs) and not any(isinstance(run.ending, NotRun) for run in runs)


def shows(criterion: Criterion, runs: Sequence[Run]) -> bool:
    """Whether ``runs`` (one for each probe of the finding) show the defect."""
    match criterion:
        case Crashes():
            wanted = (criterion.exception, criterion.path, criterion.function)
            return any(crash_of(run.ending) == wanted for run in runs)
        case Misses():
            hits = sum(reached(criterion.goal, run) for run in runs)
            return bool(runs) and hits / len(runs) < criterion.threshold
        case Mixes():
            classes = runs[: criterion.positives], runs[criterion.positives :]
            return all(_share(criterion.goal, runs) > criterion.threshold for runs in classes)
        case Constant():
            other = Outcome.FALSE if criterion.goal.outcome is Outcome.TRUE else Outcome.TRUE
            return any(reached(criterion.goal, run) for run in runs) and not any(
                decision_point(criterion.goal, other) in run.hits for run in runs
            )
        case _:
            assert_never(criterion)


def _share(goal: Goal, runs: Sequence[Run]) -> float:
    return sum(reached(goal, run) for run in runs) / len(runs) if runs else 0.0


def translate(criterion: Criterion, path: str, ours: str, theirs: str) -> Criterion | None:
    """The same criterion on another text of its file, or ``None``.

    A decision is found again by aligning the conditions of its function in
    the two texts; a function or decision that is not there any more cannot
    show the defect.
    """
    if isinstance(criterion, Crashes):
        return replace(criterion, path=path)
    goal = _same_decision(criterion.goal, path, ours, theirs)
    return None if goal is None else replace(criterion, goal=goal)


def located(criterion: Criterion, source: str) -> Criterion | None:
    """The criterion on another text of its file, without the text it was made on.

    The decision with the same condition is meant, else the one with the same
    ordinal: a repair changes the condition, not the place.
    """
    if isinstance(criterion, Crashes):
        return criterion
    goal = criterion.goal
    found = _of_function(source, goal.function)
    same = [d for d in found if d.text == goal.decision_text]
    same.sort(key=lambda decision: abs(decision.ordinal - goal.decision))
    chosen = same or [d for d in found if d.ordinal == goal.decision]
    return replace(criterion, goal=_at(goal, goal.path, chosen[0])) if chosen else None


def _at(goal: Goal, path: str, decision: Decision) -> Goal:
    return replace(
        goal,
        path=path,
        decision=decision.ordinal,
        line=decision.line,
        end_line=decision.end_line,
        decision_text=decision.text,
    )


def _same_decision(goal: Goal, path: str, ours: str, theirs: str) -> Goal | None:
    mine = _of_function(ours, goal.function)
    other = _of_function(theirs, goal.function)
    ordinal = _aligned(mine, other, goal.decision)
    if ordinal is None:
        return None
    return _at(goal, path, next(d for d in other if d.ordinal == ordinal))


def _aligned(mine: list[Decision], other: list[Decision], ordinal: int) -> int | None:
    index = next((i for i, d in enumerate(mine) if d.ordinal == ordinal), None)
    if index is None:
        return None
    if len(mine) == len(other) and mine[index].kind == other[index].kind:
        return other[index].ordinal
    matcher = SequenceMatcher(a=[d.text for d in mine], b=[d.text for d in other], autojunk=False)
    for block in matcher.get_matching_blocks():
        if block.a <= index < block.a + block.size:
            return other[block.b + index - block.a].ordinal
    return None


def _of_function(source: str, function: str) -> list[Decision]:
    try:
        return [d for d in decisions(source) if d.function == function]
    except SyntaxError:
        return []
