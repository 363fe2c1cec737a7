"""Library calls joined with what is known of the installed version, before anything runs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzers.relations.library_names import parsed
from analyzers.relations.relation_tables import identity, table
from analyzers.vocabulary import Divergence, Equivalence, LibraryCall, RecordedCalls


def passes(known: str, sources: Iterable[str], names: Sequence[str]) -> bool:
    """Return whether a call seen gives every argument of a known call, as far as they are read."""
    wanted = _given(known, names)
    read = [given for given in (_given(each, names) for each in sources) if given is not None]
    return wanted is None or not read or any(wanted <= given for given in read)


def keywords(source: str) -> frozenset[str]:
    """The arguments that a call gives by name; none where it cannot be read."""
    body = parsed(source)
    given = body.keywords if isinstance(body, ast.Call) else ()
    return frozenset(each.arg for each in given if each.arg is not None)


def _given(source: str, names: Sequence[str]) -> frozenset[str] | None:
    """The parameters that a call gives, by name where that is known, else by number."""
    body = parsed(source)
    if not isinstance(body, ast.Call) or isinstance(body.func, ast.Call):
        return None
    numbered = [*names, *(f"#{number}" for number in range(len(names), len(body.args)))]
    keywords = [each.arg for each in body.keywords if each.arg is not None]
    return frozenset([*numbered[: len(body.args)], *keywords])


Divergences = Callable[[Sequence[str]], Iterable[Divergence]]


def borrowed_divergences(
    equivalences: Iterable[Equivalence],
    divergences: Divergences,
    parameters: Mapping[str, Sequence[str]],
) -> Iterator[Divergence]:
    """Yield what the forms of an API that it lacks itself are known for, told of the API."""
    forms = [each for each in equivalences if each.kind == "value" and is_form(each, parameters)]
    for form in forms:
        for known in divergences([form.target]):
            call = renamed(known.call, form, parameters.get(form.source, ()))
            if known.relation != "value" and call is not None:
                yield replace(known, api=form.source, call=call)


def is_form(equivalence: Equivalence, parameters: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the target takes the source's arguments as they are, in their order."""
    if equivalence.target.endswith("_") != equivalence.source.endswith("_"):
        return False
    call = parsed(equivalence.template)
    names = list(parameters.get(equivalence.source, ()))
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    given = [each.id for each in call.args if isinstance(each, ast.Name)]
    if len(given) != len(call.args) or given != names[: len(given)]:
        return False
    return all(
        isinstance(each.value, ast.Name) and each.value.id == each.arg for each in call.keywords
    )


def renamed(source: str, form: Equivalence, names: Sequence[str]) -> str | None:
    """A call of a form's target as one of its source; ``None`` where that has no such argument."""
    call = parsed(source)
    if not isinstance(call, ast.Call) or len(call.args) > len(names):
        return None
    if ast.unparse(call.func) != form.target:
        return None
    if any(each.arg not in names for each in call.keywords):
        return None
    call.func = ast.Name(form.source, ast.Load())
    return ast.unparse(call)


MOST_EQUIVALENCES = 3
"""Of each API, how many calls of equal value its own are compared with."""

VARIANTS = frozenset({"out", "vmap", "meta"})
"""Relations that speak of a variant of a call, which the project does not make."""


@dataclass(frozen=True, slots=True)
class KnownRelations:
    """The relations that the table of a version holds for some APIs.

    ``borrowed`` are divergences of APIs that have the same value, as calls of
    the APIs asked for: to be verified before anything is said of them.
    ``dismissed`` are API, relation and related call of what a person read and
    found to be no bug.  ``parameters`` are by API, in order.
    """

    equivalences: tuple[Equivalence, ...] = ()
    divergences: tuple[Divergence, ...] = ()
    borrowed: tuple[Divergence, ...] = ()
    dismissed: frozenset[tuple[str, str, str]] = frozenset()
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def noted(self, divergence: Divergence) -> tuple[Divergence, bool]:
        """The divergence with what a person said of it, and whether it was known."""
        known = (*self.divergences, *self.borrowed)
        same = [each for each in known if is_same(each, divergence)]
        exact = [each for each in same if identity(each) == identity(divergence)]
        note = next((each.note for each in (*exact, *same) if each.note), divergence.note)
        return replace(divergence, note=note), bool(same)

    def tells(self, divergence: Divergence) -> bool:
        """Return whether nobody found a divergence to be no bug."""
        return identity(divergence) not in self.dismissed


def is_same(one: Divergence, other: Divergence) -> bool:
    """Return whether two divergences show one defect; a dead process always is one."""
    if one.api != other.api or one.rule != other.rule:
        return False
    return one.rule == "crash" or one.relation == other.relation


def known_relations(recorded: RecordedCalls, apis: Sequence[str]) -> KnownRelations:
    """Return what is known of the APIs in this version; nothing where there is no table of it."""
    found = table(recorded.library, recorded.version)
    if found is None:
        return KnownRelations()
    parameters = {each.name: each.parameters for each in found.known(apis)}
    equivalences = found.equivalences(apis)

    def is_told(each: Divergence) -> bool:
        return each.relation not in VARIANTS and is_passed(each, recorded, parameters)

    return KnownRelations(
        tuple(relevant_equivalences(equivalences)),
        tuple(filter(is_told, found.divergences(apis))),
        tuple(filter(is_told, borrowed_divergences(equivalences, found.divergences, parameters))),
        found.dismissed(apis),
        parameters,
    )


def is_passed(
    divergence: Divergence, recorded: RecordedCalls, parameters: Mapping[str, Sequence[str]]
) -> bool:
    """Return whether a call that was seen gives all arguments that the divergence is about."""
    api = divergence.api
    sources = [call.source for call in recorded.calls if call.api == api]
    return passes(divergence.call, sources, parameters.get(api, ()))


def relevant_equivalences(equivalences: Iterable[Equivalence]) -> Iterable[Equivalence]:
    """Those that can tell that the source is wrong, a few of each source.

    An alias of the same name is the same kernel; a variant that writes in place has
    preconditions of its own; a relation of statuses tells nothing of one call.
    """
    count = Counter[str]()
    for each in equivalences:
        one, other = _stem(each.source), _stem(each.target)
        if (
            each.kind != "value"
            or one == other
            or (each.target.endswith("_") and not each.source.endswith("_"))
        ):
            continue
        count[each.source] += 1
        if count[each.source] <= MOST_EQUIVALENCES:
            yield each


def _stem(api: str) -> str:
    return api.rpartition(".")[2].rstrip("_")


def placed(
    divergences: Iterable[Divergence], calls: Sequence[LibraryCall]
) -> Iterable[tuple[Divergence, LibraryCall]]:
    """Divergences with the first call of their API."""
    first: dict[str, LibraryCall] = {}
    for call in calls:
        first.setdefault(call.api, call)
    return [(each, first[each.api]) for each in divergences if each.api in first]


def once(
    told: Iterable[tuple[Divergence, LibraryCall]],
) -> Iterable[tuple[Divergence, LibraryCall]]:
    """Return the shortest call of each way in which an API goes wrong, whatever oracle finds it."""
    kept: dict[tuple[str, str], tuple[Divergence, LibraryCall]] = {}
    for divergence, call in told:
        key = divergence.api, divergence.rule
        if key not in kept or len(divergence.call) < len(kept[key][0].call):
            kept[key] = divergence, call
    return kept.values()
