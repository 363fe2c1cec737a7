"""The nouns of Assayer.

``ChangeSet → Target → Goal → Probe → Run → Finding (+ Suggestion) → Report``

Every noun is frozen and depends on the standard library alone.  Lines are
1-based, columns 0-based and counted in characters, ranges include both ends
unless a docstring says otherwise.
"""

from analyzers.vocabulary.changes import Change, ChangeSet
from analyzers.vocabulary.contracts import Contract, Explored, Exploring, Failure, ObservedCall
from analyzers.vocabulary.inputs import Corner, Input, InputKind, Origin, Supply, Wanted
from analyzers.vocabulary.json import Json, JsonObject
from analyzers.vocabulary.probes import (
    Argument,
    Content,
    Exchange,
    Form,
    Inert,
    Literal,
    Made,
    Probe,
)
from analyzers.vocabulary.report import Conclusion, Cost, Report, Tally
from analyzers.vocabulary.runs import (
    Asked,
    Died,
    Ending,
    NotRun,
    Raised,
    Returned,
    Run,
    Searched,
    TimedOut,
    Violated,
    Witness,
)
from analyzers.vocabulary.targets import ApiCall, Goal, Outcome, Reason, Target
from analyzers.vocabulary.verdicts import (
    Alike,
    Broken,
    Constant,
    Crashes,
    Criterion,
    Finding,
    Level,
    Misses,
    Mixes,
    Repeats,
    Skipped,
    Status,
    Suggestion,
    Turns,
    Verdict,
    Violates,
    Written,
)

__all__ = [
    "Alike",
    "ApiCall",
    "Argument",
    "Asked",
    "Broken",
    "Change",
    "ChangeSet",
    "Conclusion",
    "Constant",
    "Content",
    "Contract",
    "Corner",
    "Cost",
    "Crashes",
    "Criterion",
    "Died",
    "Ending",
    "Exchange",
    "Explored",
    "Exploring",
    "Failure",
    "Finding",
    "Form",
    "Goal",
    "Inert",
    "Input",
    "InputKind",
    "Json",
    "JsonObject",
    "Level",
    "Literal",
    "Made",
    "Misses",
    "Mixes",
    "NotRun",
    "ObservedCall",
    "Origin",
    "Outcome",
    "Probe",
    "Raised",
    "Reason",
    "Repeats",
    "Report",
    "Returned",
    "Run",
    "Searched",
    "Skipped",
    "Status",
    "Suggestion",
    "Supply",
    "Tally",
    "Target",
    "TimedOut",
    "Turns",
    "Verdict",
    "Violated",
    "Violates",
    "Wanted",
    "Witness",
    "Written",
]
