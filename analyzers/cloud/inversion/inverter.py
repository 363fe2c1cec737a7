"""Inputs as they have to be passed, for one target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzers import catalogue
from analyzers.cloud.inversion.code_hints import hints_of
from analyzers.cloud.inversion.inverse_search import (
    Inverse,
    Learner,
    ObservedTexts,
    text_similarity,
    texts_of,
)
from analyzers.ports import Executor
from analyzers.vocabulary import (
    AskedInput,
    Exchange,
    Input,
    InputArgument,
    InputKind,
    Origin,
    Probe,
    Raised,
    Run,
    Target,
)

LONGEST_QUOTE = 60
LEARNING = Origin("plain")


@dataclass(frozen=True, slots=True)
class InvertedInputs:
    """Inputs as the function is to be given them, with the text that each is to ask about.

    A ``meant`` of ``None`` stands where there is nothing to compare with.
    ``shortfall`` says why inputs were left out.
    """

    inputs: tuple[Input, ...]
    meant: tuple[str | None, ...]
    shortfall: str | None = None


class Inverter:
    """The search for how texts have to be passed, once for each API and template.

    ``script`` are everyday answers of the target's APIs; without them nothing
    can be learned, and texts are passed as they are.
    """

    def __init__(
        self, target: Target, bench: Executor, script: tuple[Exchange, ...] | None
    ) -> None:
        self._target = target
        self._bench = bench
        self._script = script
        self._learned: dict[tuple[str, str], Inverse | None] = {}

    def passed(self, api: str, template: Probe, items: Sequence[Input]) -> InvertedInputs:
        """Return the inputs as they have to be passed; those that cannot be are left out."""
        unknown = InvertedInputs(tuple(items), (None,) * len(items))
        script = template.script or self._script
        written = all(item.kind is InputKind.TEXT for item in items)
        if not items or not written or not script or not _takes_text(api, template):
            return unknown
        asking = replace(template, script=script)
        texts = [item.content.decode("utf-8", "replace") for item in items]
        runs = self._runs(asking, texts)
        if any(_untold(api, run) for run in runs):
            return unknown
        fitting = [_asks_about(api, text, run) for text, run in zip(texts, runs, strict=True)]
        others = [text for text, fits in zip(texts, fitting, strict=True) if not fits]
        undone = self._undone(api, asking, others) if others else {}
        made: list[tuple[Input, str | None]] = []
        asked_else: list[tuple[str, str]] = []
        for item, text, fits, run in zip(items, texts, fitting, runs, strict=True):
            if fits:
                made.append((item, text))
            elif text in undone:
                made.append((replace(item, content=undone[text].encode()), text))
            elif asked := texts_of(api, run):
                asked_else.append((text, asked[0].text or ""))
            else:
                made.append((item, None))
        return InvertedInputs(
            tuple(item for item, _ in made),
            tuple(text for _, text in made),
            _shortfall(asked_else) if asked_else else None,
        )

    def _undone(self, api: str, asking: Probe, texts: Sequence[str]) -> dict[str, str]:
        """Return what to pass for texts that are not asked about as they are; each was run."""
        inverse = self._inverse(api, asking)
        if inverse is None or not inverse.steps:
            return {}
        made = [(text, given) for text in texts if (given := inverse(text)) is not None]
        runs = self._runs(asking, [given for _, given in made])
        return {
            text: given
            for (text, given), run in zip(made, runs, strict=True)
            if _asks_about(api, text, run)
        }

    def _inverse(self, api: str, asking: Probe) -> Inverse | None:
        slots = {name: _unfilled(argument) for name, argument in asking.arguments.items()}
        known = api, repr(sorted(slots.items()))
        if known not in self._learned:
            files = dict.fromkeys((self._target.path, *self._target.files))
            sources = {path: self._bench.source(path) for path in files}
            hints = hints_of(sources, self._target.path, self._target.function)

            def observe(texts: Sequence[str]) -> list[ObservedTexts]:
                return [_seen(api, run) for run in self._runs(asking, texts)]

            self._learned[known] = Learner(observe, hints).learn()
        return self._learned[known]

    def _runs(self, asking: Probe, texts: Sequence[str]) -> Sequence[Run]:
        script = asking.script or ()
        return self._bench.run([asking.with_input(_plain(text)).answered(script) for text in texts])


def _takes_text(api: str, template: Probe) -> bool:
    described = catalogue.load_catalogue().apis.get(api)
    slots = [a for a in template.arguments.values() if isinstance(a, InputArgument)]
    kind = described.input.kind if described and described.input else None
    return bool(slots) and kind == InputKind.TEXT


def _plain(text: str) -> Input:
    return Input(InputKind.TEXT, text.encode(), "any text", None, ".txt", LEARNING)


def _untold(api: str, run: Run) -> bool:
    """Return whether the API was asked, and nothing is known of what."""
    return any(each.api == api for each in run.exchanges) and not texts_of(api, run)


def _asks_about(api: str, text: str, run: Run) -> bool:
    return text_similarity(text, texts_of(api, run)) is not None


def _seen(api: str, run: Run) -> ObservedTexts:
    ending = run.ending
    where = (ending.exception, ending.path, ending.line) if isinstance(ending, Raised) else ()
    asked: tuple[AskedInput, ...] = texts_of(api, run)
    return ObservedTexts(asked, (type(ending).__name__, where, run.hits), run.seconds)


def _unfilled(argument: object) -> str:
    return argument.form if isinstance(argument, InputArgument) else repr(argument)


def _shortfall(asked_else: Sequence[tuple[str, str]]) -> str:
    meant, asked = (_quoted(text) for text in asked_else[0])
    some = "1 text was" if len(asked_else) == 1 else f"{len(asked_else)} texts were"
    return (
        f"{some} left out: the code changes the text before it asks: "
        f"asked about {asked} instead of {meant}"
    )


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    short = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return f"“{short}”"
