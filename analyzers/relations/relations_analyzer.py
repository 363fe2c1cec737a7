"""Library calls, with arguments that a project can pass, beside those they should agree with.

The calls are seen while valid inputs of a target run, joined with what is known
of the installed version, mutated and compared in the sandbox (DeepREL, tied to a
change).  What an input of the target leads to is a finding; the rest of what is
known of the calls goes to the appendix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from analyzers.inference.exploration import exploration_of, is_explorable, target_contract
from analyzers.inference.facts import Confidence
from analyzers.inference.function_contracts import FunctionContract, NoContractError
from analyzers.inference.inference_messages import doubt_sentence, given_clause
from analyzers.inference.input_validity import is_certain, weakest_parameter
from analyzers.ports import Executor
from analyzers.relations.call_repairs import suggested
from analyzers.relations.known_relations import (
    KnownRelations,
    is_passed,
    keywords,
    known_relations,
    once,
    placed,
)
from analyzers.relations.messages import does
from analyzers.relations.relation_findings import (
    NAME,
    ShownDivergence,
    criterion_of,
    found,
    gravest,
)
from analyzers.vocabulary import (
    Died,
    Divergence,
    ExplorationResult,
    Failure,
    Level,
    LibraryBug,
    LibraryCall,
    ReachedDivergence,
    RecordedCalls,
    RelationRequest,
    RelationResult,
    Returned,
    Run,
    Skipped,
    Target,
    TimedOut,
    Verdict,
)

MOST_APIS = 60
"""How many APIs of one target are looked at."""


def called(recorded: RecordedCalls, target: Target, bench: Executor) -> tuple[LibraryCall, ...]:
    """Return the calls in the project's own code: those seen to run, else those to be read."""
    seen = recorded.calls or tuple(
        LibraryCall(call.api, call.path, call.line, call.function)
        for call in target.calls
        if call.api.startswith(f"{recorded.library}.")
    )
    own = [call for call in seen if call.path in bench.paths()]
    places: dict[tuple[str, str, int], LibraryCall] = {}
    for call in own:
        places.setdefault((call.api, call.path, call.line), call)
    lines = _Lines(bench)
    ordered = sorted(
        places.values(),
        key=lambda call: (not lines.changed(call), call.function != target.function),
    )
    return tuple(ordered)


def apis(calls: Iterable[LibraryCall]) -> tuple[str, ...]:
    """The names of the APIs called, each once, in the order of the calls."""
    return tuple(dict.fromkeys(call.api for call in calls))[:MOST_APIS]


class _Lines:
    """Lines of head that base has not, by the files' texts."""

    def __init__(self, bench: Executor) -> None:
        self._bench = bench
        self._known: dict[str, frozenset[str]] = {}

    def changed(self, call: LibraryCall) -> bool:
        """Return whether the line of a call stands nowhere in its file on base."""
        lines = self._bench.source(call.path).splitlines()
        here = lines[call.line - 1] if 0 < call.line <= len(lines) else ""
        if call.path not in self._known:
            there = self._bench.base(call.path)
            self._known[call.path] = frozenset(() if there is None else there[1].splitlines())
        return here not in self._known[call.path]


SECONDS = 20.0
SHARE = 0.6
"""Of the time that is left for a target, what comparing may take: the rest is for confirming."""


class RelationsAnalyzer:
    """Finds library calls that valid inputs of the project lead astray."""

    name = NAME

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        if not is_explorable(target, bench):
            return
        try:
            terms = target_contract(target, bench)
        except NoContractError:
            yield from _static(target, bench)
            return
        explored = bench.explore(target, exploration_of(terms, target, bench))
        if not explored.passing:
            yield from _static(target, bench)
            return
        recorded = bench.record(target, explored.passing)
        if recorded is not None:
            yield from _Examination(target, bench, recorded).compared(terms, explored)


def _static(target: Target, bench: Executor) -> Iterator[Verdict]:
    recorded = bench.record(target, ()) if target.calls else None
    if recorded is not None:
        yield from _Examination(target, bench, replace(recorded, calls=())).known_bugs()


def _is_sure(failure: Failure, terms: FunctionContract, before: Sequence[Run] | None) -> bool:
    term = weakest_parameter(failure, terms)
    survived = bool(before) and all(isinstance(run.ending, Returned) for run in before or ())
    return survived or term is None or term.confidence >= Confidence.STRONG


class _Examination:
    """One target, its library calls, and what is known of them."""

    def __init__(self, target: Target, bench: Executor, recorded: RecordedCalls) -> None:
        self._target = target
        self._bench = bench
        self._recorded = recorded
        self._calls = called(recorded, target, bench)
        self._apis = apis(self._calls)
        self._known = known_relations(recorded, self._apis) if self._apis else KnownRelations()

    def known_bugs(self) -> Iterator[LibraryBug]:
        """Yield what is known of the calls, whether or not an input leads there."""
        for divergence, call in once(placed(self._known.divergences, self._calls)):
            if self._may_pass(divergence, call):
                yield self._bug(divergence, call)

    def _may_pass(self, divergence: Divergence, at: LibraryCall) -> bool:
        same = (call for call in self._recorded.calls if call.api == divergence.api)
        text = self._text(at.path)
        return any(call.source for call in same) or all(
            word in text for word in keywords(divergence.call)
        )

    def compared(self, terms: FunctionContract, explored: ExplorationResult) -> Iterator[Verdict]:
        """Yield what inputs lead to, then what none was found to lead to."""
        if not self._apis:
            return
        related = self._bench.relate(self._target, self._relating(terms, explored))
        if related.obstacle is not None:
            yield Skipped(NAME, self._target.id, related.obstacle)
        yield from self._endless(related.reached)
        shown = gravest(list(self._shown(related.reached)))
        for each in shown:
            yield self._judged(each, terms, explored)
        yield from self._appendix(related, [each.reached.divergence for each in shown])

    def _endless(self, reached: Iterable[ReachedDivergence]) -> Iterator[Skipped]:
        """Calls that do not come back in time: they may be hangs, or only long work."""
        places = dict.fromkeys(
            f"{given_clause(each.probe)}`{each.divergence.api}` at {each.at.path}:{each.at.line} "
            f"{does(each)}: it may hang, or have much to do"
            for each in reached
            if isinstance(each.run.ending, TimedOut)
        )
        for reason in places:
            yield Skipped(NAME, self._target.id, reason[:1].lower() + reason[1:])

    def _relating(self, terms: FunctionContract, explored: ExplorationResult) -> RelationRequest:
        return RelationRequest(
            probes=explored.passing,
            contract=terms.contract,
            generators=terms.generators,
            apis=self._apis,
            equivalences=self._known.equivalences,
            known=(*self._known.divergences, *self._known.borrowed),
            seconds=min(SECONDS, SHARE * self._bench.remaining()),
            seed=self._bench.plan.seed,
        )

    def _shown(self, reached: Iterable[ReachedDivergence]) -> Iterator[ShownDivergence]:
        for each in reached:
            divergence, known = self._known.noted(each.divergence)
            criterion = criterion_of(each)
            if criterion is not None and self._known.tells(divergence):
                told = replace(each, divergence=divergence)
                yield ShownDivergence(told, criterion, self._recorded.version, known)

    def _judged(
        self, shown: ShownDivergence, terms: FunctionContract, explored: ExplorationResult
    ) -> Verdict:
        """The finding where the input is certainly valid; else the doubt, or an entry at the end.

        A process that died is a finding in any case; another crash that is doubtful is
        told, since it stands in nobody's way; a difference is one more thing that the
        library is known for.
        """
        reached, failure = shown.reached, shown.failure
        before = None if terms.given else self._bench.run_on_base([reached.probe])
        text = self._text(reached.at.path)
        if is_certain(failure, terms, explored, before, text) and _is_sure(failure, terms, before):
            parameters = self._known.parameters.get(reached.divergence.api, ())
            return found(shown, terms, self._target, suggested(shown, text, parameters))
        if isinstance(reached.run.ending, Died):
            told = found(shown, terms, self._target, None)
            doubted = {**told.evidence, "doubt": doubt_sentence(failure, terms)}
            return replace(told, level=Level.WARNING, evidence=doubted)
        if shown.rule != "crash":
            return self._bug(reached.divergence, reached.at)
        where = f"`{reached.divergence.api}` at {reached.at.path}:{reached.at.line} {does(reached)}"
        return Skipped(NAME, self._target.id, f"{where}, but {doubt_sentence(failure, terms)}")

    def _appendix(
        self, related: RelationResult, told: Sequence[Divergence]
    ) -> Iterator[LibraryBug]:
        noted = [
            (self._known.noted(each)[0], at)
            for each, at in related.beyond
            if is_passed(each, self._recorded, self._known.parameters)
        ]
        said = {(each.api, each.rule) for each in told}
        for divergence, at in once((*noted, *placed(self._known.divergences, self._calls))):
            is_open = self._known.tells(divergence) and self._may_pass(divergence, at)
            if is_open and (divergence.api, divergence.rule) not in said:
                yield self._bug(divergence, at)

    def _bug(self, divergence: Divergence, at: LibraryCall) -> LibraryBug:
        version = self._recorded.version
        return LibraryBug(NAME, self._target.id, at.path, at.line, divergence, version)

    def _text(self, path: str) -> str:
        return self._bench.source(path) if path in self._bench.paths() else ""
