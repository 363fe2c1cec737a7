"""The ML that a project uses: its APIs and libraries, who answers them here, what it costs."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzers.catalogue import load_catalogue
from analyzers.detection import detect
from analyzers.detection.import_graph import is_deep_learning
from analyzers.vocabulary import ChangeSet, Target
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.engine_selection import Engines
from worker.settings.operator_settings import Settings
from worker.settings.repository_configuration import Budget, Configuration, documented_keys

EXAMPLE_IGNORE = """\
# [[ignore]]
# rule = "cloud/low-recall"
# path = "examples/"
# reason = "shown to readers, never run"
# until = 2027-12-31
"""
DEEP_LEARNING = ("properties", "relations", "models", "assembly")
CALLS_A_FUNCTION = 40
"""API calls that a function with two branches takes the first time."""
MOST = 12


@dataclass(frozen=True, slots=True)
class ProjectSurvey:
    """The APIs and libraries of a project by the number of functions that use them.

    ``answered`` says who answers an API here; ``price`` is the list price of one question in
    dollars, ``None`` where nobody knows it.
    """

    functions: int
    apis: Mapping[str, int]
    libraries: Mapping[str, int]
    answered: Mapping[str, str]
    price: Mapping[str, float | None]

    @property
    def analyzers(self) -> tuple[str, ...]:
        """The analyzers that have something to do."""
        return (("cloud",) if self.apis else ()) + (DEEP_LEARNING if self.libraries else ())

    @property
    def calls(self) -> int:
        """About how many API calls a first check of everything takes."""
        return CALLS_A_FUNCTION * sum(self.apis.values())

    @property
    def dollars(self) -> float:
        """About what those calls cost where a provider is asked."""
        return sum(
            CALLS_A_FUNCTION * count * (self.price[api] or 0.0) for api, count in self.apis.items()
        )

    def lines(self) -> Iterator[str]:
        """Yield what was found, for a person."""
        if not self.functions:
            yield "No function uses an ML API or a deep-learning library that Assayer knows."
            return
        yield f"Functions that use ML: {self.functions}"
        for api, count in _first(self.apis):
            yield f"  {api}: {count}, {self.answered[api]}"
        for library, count in _first(self.libraries):
            yield f"  {library}: {count}"
        if self.apis:
            price = f", ${self.dollars:,.2f} at list price" if self.dollars else ", free of charge"
            yield f"A first check of everything asks about {self.calls:,} questions{price}."


def _first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return Counter(counts).most_common(MOST)


def survey(changes: ChangeSet, settings: Settings) -> ProjectSurvey:
    """Return what the functions of a project use; raise ``UsageError`` for wrong settings."""
    catalogue = load_catalogue()
    targets = detect(changes, catalogue, everything=True).targets
    engines = Engines.from_settings(settings.engines, offline=False)
    known = Counter(api for each in targets for api in set(each.apis) if api in catalogue.apis)
    libraries = Counter(name for each in targets for name in _libraries(each))
    return ProjectSurvey(
        len(targets),
        known,
        libraries,
        {api: _answered(engines, api) for api in known},
        {api: _price(engines, api) for api in known},
    )


def _libraries(target: Target) -> set[str]:
    return {api.partition(".")[0] for api in target.apis} if is_deep_learning(target) else set()


def _answered(engines: Engines, api: str) -> str:
    try:
        engine = engines.engine(api)
    except NoAnswer as missing:
        return f"nobody answers: {missing.args[0].partition(': ')[2]}"
    return f"answered by {engine.identity}" + (" on this machine" if engine.local else "")


def _price(engines: Engines, api: str) -> float | None:
    try:
        cost = engines.cost(api, ApiRequest(content=b"0", text="0"))
    except NoAnswer:
        return None
    return None if cost is None else cost / 1_000_000


def configuration_for(found: ProjectSurvey) -> str:
    """Return a configuration with what fits as values, and every other key as a comment."""
    fitting = {"analyzers": _analyzers(found), "budget": _budget(found)}
    text = (
        "# Assayer's configuration. It takes effect once it is on the base branch.\n"
        "# Every key is optional; the commented values are the defaults.\n"
    )
    text += "".join(f"# {line}".rstrip() + "\n" for line in found.lines())
    for key, default, description in documented_keys():
        comment = textwrap.fill(
            description, 78, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
        )
        text += f"\n{comment}\n"
        value = fitting.get(key)
        if key == "ignore":
            text += EXAMPLE_IGNORE
        else:
            text += f"{key} = {value}\n" if value else f"# {key} = {default}\n"
    return text


def configuration_template() -> str:
    """Return a configuration with every key as a comment."""
    return configuration_for(ProjectSurvey(0, {}, {}, {}, {}))


def _analyzers(found: ProjectSurvey) -> str:
    """Return the analyzers as TOML; empty where all have something to do, or none."""
    both = found.apis and found.libraries
    return "" if both or not found.analyzers else _listed(found.analyzers)


def _listed(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _budget(found: ProjectSurvey) -> str:
    """Return a budget that covers one changed tenth of the project; empty: the default does."""
    usual: Budget = Configuration().budget
    calls = -(-found.calls // 10 // 100) * 100
    if calls <= usual.api_calls:
        return ""
    return (
        f"{{ seconds = {usual.seconds}, api-calls = {calls}, api-dollars = {usual.api_dollars} }}"
    )
