"""The answer to a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from analyzers.vocabulary.probes import JsonObject
from analyzers.vocabulary.targets import Target
from analyzers.vocabulary.verdicts import Broken, Finding, LibraryBug, Skipped


class Tested(StrEnum):
    """The degree to which a target was tested on the real libraries (CONTRACT.md, section 2)."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


@dataclass(frozen=True, slots=True)
class MainBranch:
    """An outcome of a decision that must run before its target counts as tested.

    ``point`` is its id, ``place`` the same in words.  ``on_answer``: what an ML API
    answers decides it, so only answers of an engine or a recording judge it.
    """

    point: str
    place: str
    on_answer: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """The facts, counted by the host, that decide whether a target was tested.

    ``completed`` runs came to the ML API, or returned where a library does the work;
    ``endings`` say how the others ended, the most frequent first.  ``answered`` runs had
    their answers from an engine or a recording, or needed none.  ``decided``: some decision
    of the target itself was met.  ``unreached`` are main branches that no run took,
    ``simulated`` those that only made-up answers led to.
    ``replaced`` are libraries whose stand-ins the runs used.  ``out_of_time``:
    the time budget ended the examination; ``refused``: why the budget for API calls did;
    ``interrupted``: somebody did.
    """

    completed: int = 0
    answered: int = 0
    endings: tuple[str, ...] = ()
    main: int = 0
    decided: bool = False
    unreached: tuple[MainBranch, ...] = ()
    simulated: tuple[MainBranch, ...] = ()
    replaced: tuple[str, ...] = ()
    out_of_time: bool = False
    refused: str = ""
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class DriverCounts:
    """The project's own programs that reached a target, and what came of them.

    ``places`` are where the project has them; of their variations that base runs, ``same`` gave
    the same on head, and ``different`` did not; ``covered`` of ``changed`` lines of the target ran.
    ``runs`` counts those that base lacks too.
    """

    places: tuple[str, ...] = ()
    same: int = 0
    different: int = 0
    changed: int = 0
    covered: int = 0
    runs: int = 0


@dataclass(frozen=True, slots=True)
class TargetCounters:
    """The work for one target, counted by the host.

    ``apis`` are those of a library that a campaign on the target reached, beside those
    that the target itself calls.  ``reasons`` say why it is not wholly ``tested``.
    ``cached``: nothing that it rests on has changed, and the last result was taken.
    ``driven`` says what came of the project's own programs.
    """

    goals_total: int = 0
    goals_reached: int = 0
    goals_proved_unreachable: int = 0
    branches_total: int = 0
    branches_covered: int = 0
    executions: int = 0
    apis: tuple[str, ...] = ()
    tested: Tested = Tested.NO
    reasons: tuple[str, ...] = ()
    cached: bool = False
    driven: DriverCounts = DriverCounts()


@dataclass(frozen=True, slots=True)
class TestedTarget:
    """A target by its id, whether it was tested, and why it was not wholly.

    ``cached``: in a run before, and nothing has changed since.
    """

    id: str
    tested: Tested
    reasons: tuple[str, ...] = ()
    cached: bool = False
    driven: DriverCounts = DriverCounts()


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a whole run; ``dollars`` by the list prices of the calls."""

    seconds: float = 0.0
    executions: int = 0
    api_calls: int = 0
    api_calls_cached: int = 0
    api_calls_refused: int = 0
    dollars: float = 0.0


class Conclusion(StrEnum):
    """The verdict on a whole change (CONTRACT.md, section 1)."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    SKIPPED = "skipped"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Report:
    """The answer to a pull request.

    ``environment`` says in sentences what the runs were made with: the
    isolation in force, stand-ins, engines.  ``ignored`` maps a fingerprint
    to the reason (and date) for which its finding blocks nothing.
    ``appendix`` are defects of libraries that no input was seen to meet.
    ``partial``: something was left unexamined, since the budget was spent or the run
    ``interrupted``.  ``files``: how many code files differ, where that alone decides.
    """

    repository: str
    base: str
    head: str | None
    conclusion: Conclusion
    targets: tuple[tuple[Target, TargetCounters], ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    broken: tuple[Broken, ...] = ()
    cost: Cost = Cost()
    environment: tuple[str, ...] = ()
    ignored: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    partial: bool = False
    appendix: tuple[LibraryBug, ...] = ()
    interrupted: bool = False
    files: int | None = None

    @property
    def tests(self) -> tuple[TestedTarget, ...]:
        """The targets, with whether each was tested."""
        return tuple(
            TestedTarget(target.id, tally.tested, tally.reasons, tally.cached, tally.driven)
            for target, tally in self.targets
        )
