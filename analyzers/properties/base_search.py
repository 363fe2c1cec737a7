"""Search for inputs that base takes and head treats otherwise.

It begins with calls that the project makes and inputs that were drawn, and tries
variants of them.  Base decides which are valid: what returns there is kept, and what
reaches a branch for the first time is varied again.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest

from analyzers.inference.constraint_sources.call_sites import project_call_sites
from analyzers.inference.facts import FunctionContext, ProjectTexts, parse_module
from analyzers.inference.function_contracts import CONSTRUCTOR
from analyzers.inference.function_lookup import find_function, sibling_method
from analyzers.ports import Executor
from analyzers.properties.call_variants import (
    KnownCall,
    Variants,
    smaller,
    with_random_elements,
)
from analyzers.properties.documented_shapes import DocumentedShapes
from analyzers.properties.observed_recipes import observed_recipes
from analyzers.source_checks.changed_source import changed_lines
from analyzers.vocabulary import (
    LiteralArgument,
    NotRun,
    Probe,
    RecipeArgument,
    Returned,
    Run,
    Target,
)

MOST_CALLS, MOST_DRAWN = 6, 4
MOST_RUNS = 800
BATCH, LEAST_BATCH = 96, 16
BATCH_SECONDS = 2.0
SECONDS, SHARE = 20.0, 0.5


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """An input that returned on base, with its runs there and on head.

    ``call`` is what was varied, where it was; ``unsure``: nothing says that a value is of a
    kind that is taken.
    """

    probe: Probe
    base: Run
    head: Run
    call: KnownCall | None = None
    unsure: bool = False

    @property
    def guessed(self) -> bool:
        """Return whether nothing says that an argument takes such values."""
        return self.unsure or (self.call is not None and self.call.guessed)


def compared_runs(target: Target, drawn: Sequence[Probe], bench: Executor) -> list[ComparedRun]:
    """Return the runs of inputs that return on base.

    They are variants of those that were ``drawn``; where there are none, of calls that the
    project makes.
    """
    head = find_function(target.path, target.function, ProjectTexts(bench))
    base = find_function(target.path, target.function, ProjectTexts(bench, on_base=True))
    if head is None or base is None:
        return []
    return _Search(target, base, head, bench).run(drawn)


@dataclass(slots=True)
class _Entry:
    call: KnownCall
    hits: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Search:
    target: Target
    base: FunctionContext
    head: FunctionContext
    bench: Executor
    found: list[ComparedRun] = field(default_factory=list[ComparedRun])
    tried: set[str] = field(default_factory=set[str])
    valid: set[str] = field(default_factory=set[str])
    hits: set[str] = field(default_factory=set[str])
    batch: int = BATCH
    until: float | None = None

    def run(self, drawn: Sequence[Probe]) -> list[ComparedRun]:
        constructor = self._constructor(self.base)
        recorded = () if drawn else self.bench.observe(self.target, runs_tests=False)
        calls = self._calls(observed_recipes(self.base, recorded), constructor)
        calls += self._seeds(drawn, constructor)
        variants = Variants(self.base, constructor, self._known())
        relevant = relevant_parameters(self.base, self.head, self.bench)
        corpus = list(self._smallest(calls))
        if not (corpus or drawn):
            seen = self.bench.observe(self.target)
            found = self._calls(observed_recipes(self.base, seen), constructor)
            corpus = list(self._smallest(found))
            calls += found
        corpus = corpus or [_Entry(call) for call in calls]
        documented = DocumentedShapes(self.base, calls)
        while corpus and self._goes_on():
            waiting = [
                sorted(variants.of(entry.call), key=lambda each: _order(each, relevant))
                for entry in corpus
            ]
            mixed = [each for group in zip_longest(*waiting) for each in group if each is not None]
            ruled_in = (each for each in mixed if not documented.rule_out(each))
            corpus = list(self._new(self._returning(ruled_in)))
        return self.found

    def _goes_on(self) -> bool:
        """Return whether there is time for more; the start of the processes does not count."""
        in_time = self.until is None or time.monotonic() < self.until
        return in_time and len(self.tried) < MOST_RUNS

    def _constructor(self, subject: FunctionContext) -> FunctionContext | None:
        return sibling_method(subject, "__init__") if subject.owner is not None else None

    def _known(self) -> frozenset[str]:
        """Return the parameters that both revisions have."""
        sides = [
            {
                *(each.arg for each in subject.parameters),
                *(
                    CONSTRUCTOR + each.arg
                    for each in getattr(self._constructor(subject), "parameters", ())
                ),
            }
            for subject in (self.base, self.head)
        ]
        return frozenset(sides[0] & sides[1])

    def _seeds(
        self, drawn: Sequence[Probe], constructor: FunctionContext | None
    ) -> Iterator[KnownCall]:
        sites = () if drawn else list(project_call_sites(self.base))
        given = [*(each.recipes for each in sites), *(each.likely for each in sites)]
        known = [each for each in given if each is not None]
        words = _chosen_by(self.base, self.bench) if len(known) > MOST_CALLS else frozenset[str]()
        known.sort(key=lambda each: words.isdisjoint(each.values()))
        yield from self._calls(known, constructor)
        if not drawn and _is_optimizer(self.base):
            yield from _optimizer_calls(self.base)
        plain = [each for each in map(recipes_of, drawn) if each is not None]
        for recipes in sorted(plain, key=lambda each: sum(map(len, each.values())))[:MOST_DRAWN]:
            yield with_random_elements(KnownCall.of(recipes, constructor))

    @staticmethod
    def _calls(
        given: Sequence[Mapping[str, str]], constructor: FunctionContext | None
    ) -> list[KnownCall]:
        distinct = {str(sorted(each.items())): each for each in given}
        some = list(distinct.values())[:MOST_CALLS]
        return [with_random_elements(KnownCall.of(each, constructor)) for each in some]

    def _smallest(self, calls: Sequence[KnownCall]) -> Iterator[_Entry]:
        """Yield the smallest form of each call that returns on base."""
        waiting = [list(smaller(call)) for call in calls]
        while waiting:
            for entry in self._returning([each[0] for each in waiting]):
                self.hits |= entry.hits
                yield entry
            failed = [w for w in waiting if str(w[0].recipes()) not in self.valid]
            waiting = [w[1:] for w in failed if len(w) > 1]

    def _new(self, entries: Iterator[_Entry]) -> Iterator[_Entry]:
        """Yield what reached a branch that nothing before it reached."""
        for entry in entries:
            if not entry.hits <= self.hits:
                self.hits |= entry.hits
                yield replace(entry, call=replace(entry.call, changed=frozenset()))

    def _returning(self, calls: Iterable[KnownCall]) -> Iterator[_Entry]:
        """Run calls on base, and those that return on head; yield the latter."""
        new = (each for each in calls if not self._is_known(each))
        while self._goes_on() and (now := list(islice(new, self.batch))):
            yield from self._batch(now)
            if self.until is None:
                self.until = time.monotonic() + min(SECONDS, SHARE * self.bench.remaining())

    def _is_known(self, call: KnownCall) -> bool:
        text = str(call.recipes())
        known = text in self.tried
        self.tried.add(text)
        return known

    def _batch(self, calls: Sequence[KnownCall]) -> list[_Entry]:
        probes = [call_probe(self.target, each) for each in calls]
        bases = self.bench.run_on_base(probes)
        if bases is None:
            return []
        returned = [
            (call, probe, run)
            for call, probe, run in zip(calls, probes, bases, strict=True)
            if isinstance(run.ending, Returned)
        ]
        heads = self.bench.run([probe for _, probe, _ in returned])
        longest = max((run.seconds for run in bases), default=0.0)
        self.batch = max(LEAST_BATCH, min(BATCH, int(BATCH_SECONDS / max(longest, 1e-3))))
        entries: list[_Entry] = []
        for (call, probe, base), head in zip(returned, heads, strict=True):
            self.valid.add(str(call.recipes()))
            if not isinstance(head.ending, NotRun):
                self.found.append(ComparedRun(probe, base, head, call))
                entries.append(_Entry(call, base.hits | head.hits))
        return entries


def _is_optimizer(subject: FunctionContext) -> bool:
    """Return whether a method is the step of an optimizer."""
    owner, step = subject.owner, subject.node.name == "step"
    return step and owner is not None and any("Optim" in ast.unparse(each) for each in owner.bases)


def _optimizer_calls(subject: FunctionContext) -> Iterator[KnownCall]:
    """Yield steps of parameters that have gradients: usual ones, zero, large, of one element."""
    owner = subject.function.rpartition(".")[0]
    for shape in ((3, 2), (3,), (2, 2, 3, 3)):
        for grad in ("seed=2, low=-1, high=1", "fill=0", "seed=3, low=-100, high=100"):
            given = f"tensor({shape!r}, seed=1, low=-1, high=1, grad=tensor({shape!r}, {grad}))"
            yield KnownCall({f"{CONSTRUCTOR}params": f"[{given}]"}, owner)


def call_probe(target: Target, call: KnownCall) -> Probe:
    """Return the probe of a call, observed."""
    arguments = {name: RecipeArgument(text) for name, text in call.recipes().items()}
    return Probe(target.id, arguments, observed=True)


def recipes_of(probe: Probe) -> dict[str, str] | None:
    """Return the recipes of a probe by place; ``None`` where an argument has none."""
    found: dict[str, str] = {}
    for name, argument in probe.arguments.items():
        if isinstance(argument, RecipeArgument):
            found[name] = argument.recipe
        elif isinstance(argument, LiteralArgument):
            found[name] = argument.source
        else:
            return None
    return found


def _order(call: KnownCall, weights: Mapping[str, int]) -> tuple[bool, int]:
    """Order calls by what is certainly valid, and how near what differs is to changed lines."""
    return call.guessed, -max((weights.get(name, 0) for name in call.changed), default=0)


def relevant_parameters(
    base: FunctionContext, head: FunctionContext, bench: Executor
) -> dict[str, int]:
    """Return the parameters on which changed lines, or the branches around them, depend.

    Those that are named there weigh 2, those of which only something is made that is named, 1.
    """
    before = bench.base(head.path)
    texts = ("" if before is None else before[1]), bench.source(head.path)
    words = set[str]()
    for text, lines in zip(texts, changed_lines(*texts), strict=True):
        words |= words_at(text, lines)
    found = {each.arg: 2 for each in base.parameters if each.arg in words}
    constructor = sibling_method(base, "__init__") if base.owner is not None else None
    for each in constructor.parameters if constructor is not None else ():
        if each.arg in words:
            found[CONSTRUCTOR + each.arg] = 2
        elif constructor is not None and _attributes(constructor).get(each.arg, set()) & words:
            found[CONSTRUCTOR + each.arg] = 1
    return found


def words_at(text: str, lines: set[int]) -> set[str]:
    """Return the names on lines, and those in the conditions of branches around them."""
    tree = parse_module(text)
    found = set[str]()
    for node in ast.walk(tree) if tree is not None else ():
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        if isinstance(node, ast.If | ast.IfExp | ast.While) and any(
            first <= line <= last for line in lines
        ):
            found |= set(_names(node.test))
        elif isinstance(node, ast.Name | ast.Attribute) and first in lines:
            found |= set(_names(node))
    return found


def _chosen_by(base: FunctionContext, bench: Executor) -> frozenset[str]:
    """Return the texts that conditions around changed lines compare something with, as source."""
    before = bench.base(base.path)
    texts = ("" if before is None else before[1]), bench.source(base.path)
    return frozenset(
        repr(each.value)
        for text, lines in zip(texts, changed_lines(*texts), strict=True)
        for node in ast.walk(parse_module(text) or ast.Module([], []))
        if isinstance(node, ast.If | ast.IfExp)
        and any(node.lineno <= line <= (node.end_lineno or 0) for line in lines)
        for each in ast.walk(node.test)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def _names(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr


def _attributes(constructor: FunctionContext) -> dict[str, set[str]]:
    """Return the attributes that a constructor computes of each of its parameters."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(constructor.node):
        if isinstance(node, ast.Assign):
            targets = {
                each.attr
                for target in node.targets
                for each in ast.walk(target)
                if isinstance(each, ast.Attribute)
            }
            for name in _names(node.value):
                found.setdefault(name, set()).update(targets)
    return found
