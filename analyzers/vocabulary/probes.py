"""Calls of a target: its arguments and the answers that it is given."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


JsonObject: TypeAlias = Mapping[str, Json]


class InputKind(StrEnum):
    """The kind of an input to a person."""

    IMAGE = "image"
    TEXT = "text"
    AUDIO = "audio"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an input, with the attribution that its licence asks for."""

    source: str
    url: str | None = None
    author: str | None = None
    licence: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """Something a person can read, and what they would read in it.

    ``content`` is the file's bytes (UTF-8 for text).  ``reading`` is the
    common human reading in the terms of the task: the words on a picture,
    the label of what it shows, ``"positive"``/``"negative"`` for a text;
    ``None`` where there is nothing to read (a blank picture).
    """

    kind: InputKind
    content: bytes = field(repr=False)
    description: str
    reading: str | None
    suffix: str
    origin: Origin

    @property
    def digest(self) -> str:
        """SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


class EdgeCase(StrEnum):
    """A peculiarity of a valid input (Keeper, section 4.1.3).

    Nothing to find (a blank picture, an empty text, silence); several where
    one is expected (faces, lines, speakers); far more than usual; another
    language than English.
    """

    NOTHING = "nothing"
    SEVERAL = "several"
    HUGE = "huge"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class InputRequest:
    """A request for inputs whose common human reading is ``reading``.

    ``None`` asks for edge cases: inputs as ``corner`` says, in which the
    API should find nothing unless it says otherwise.  ``other_than`` lists
    readings that the inputs must not have; ``task`` is what to find in them
    where it is not what the API is mainly for; ``upon`` is what the picture
    shows besides, where another API is asked about the same one.
    """

    api: str
    reading: str | None
    other_than: tuple[str, ...] = ()
    task: str | None = None
    corner: EdgeCase = EdgeCase.NOTHING
    upon: str | None = None


@dataclass(frozen=True, slots=True)
class InputSupply:
    """The inputs found for a wish; ``shortfall`` says why there are fewer."""

    inputs: tuple[Input, ...]
    shortfall: str | None = None


class Form(StrEnum):
    """The shape in which a function takes an input."""

    PATH = "path"
    BYTES = "bytes"
    FILE = "file"
    BASE64 = "base64"
    TEXT = "text"
    PIL = "pil"
    NUMPY = "numpy"


@dataclass(frozen=True, slots=True)
class LiteralArgument:
    """An argument given as a Python literal, readable by ``ast.literal_eval``."""

    source: str


@dataclass(frozen=True, slots=True)
class InputArgument:
    """An argument made from an input; without one a blank picture or an empty text."""

    form: Form
    input: Input | None = None


@dataclass(frozen=True, slots=True)
class InertArgument:
    """An argument that accepts everything and means nothing."""


@dataclass(frozen=True, slots=True)
class RecipeArgument:
    """An argument made by an expression: ``tensor((2, 3), "float32", fill=0.5)``.

    A recipe (``analyzers/guest/inputs/recipes.py``): displays, literals,
    and calls of our makers or of the tested file's own functions and classes,
    nothing else.
    """

    recipe: str


Argument: TypeAlias = LiteralArgument | InputArgument | InertArgument | RecipeArgument


class AnswerSource(StrEnum):
    """The origin of an answer: a service, a local engine in its place, or our own invention."""

    PROVIDER = "provider"
    RECORDING = "recording"
    LOCAL = "local"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to an ML API and its answer.

    ``digest`` is the SHA-256 of the canonical request.  ``answer`` is the
    response in the schema's own field names (snake case, as protobuf JSON
    with preserved names).  ``source`` does not belong to its identity.
    """

    api: str
    digest: str
    answer: JsonObject
    source: AnswerSource = field(default=AnswerSource.SIMULATED, compare=False)

    def answering(self, answer: JsonObject) -> Exchange:
        """Return the exchange with an answer that was made up."""
        return replace(self, answer=answer, source=AnswerSource.SIMULATED)


@dataclass(frozen=True, slots=True)
class Program:
    """A short program of the project that uses a target, or a variation of one.

    ``place`` is where the project has it (``README.md:41``), ``variation`` says how it was
    changed, in words, and ``edits`` how often.
    """

    source: str
    place: str
    variation: str = ""
    edits: int = 0


@dataclass(frozen=True, slots=True)
class Probe:
    """One call of a target.

    ``arguments`` go to places: a parameter by its name, or where else the code
    takes an input, as it spells it (``analyzers/guest/protocol/input_paths.py``):
    ``images[0]``, ``open('photo.jpg')``, ``flask.request.form['text']``.  A
    parameter that is absent keeps its default.  ``self`` is the instance that a
    method is called on.  ``script``: the answers to give, in order for each
    API; ``None`` asks the engines.  ``ensures`` are postconditions (``result``,
    ``old(...)``): the first that does not hold ends the run as ``Violated``.
    ``observed``: its result is described (``Returned.observation``), and ``ensures`` are
    expressions whose values are described among the arguments, by their numbers.
    ``program`` runs in the place of a call; its variables stand for result and arguments, and
    the lines of ``watched`` files that it runs are noted, and the calls of ``recorded``
    functions (``path::Qualified.name``).
    """

    target: str
    arguments: Mapping[str, Argument]
    script: tuple[Exchange, ...] | None = None
    ensures: tuple[str, ...] = ()
    observed: bool = False
    program: Program | None = None
    watched: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()

    def with_input(self, item: Input) -> Probe:
        """Return this probe with ``item`` in every content slot, asking the engines."""
        filled = {
            name: replace(argument, input=item) if isinstance(argument, InputArgument) else argument
            for name, argument in self.arguments.items()
        }
        return Probe(self.target, filled)

    def answered(self, exchanges: tuple[Exchange, ...]) -> Probe:
        """Return this probe with the answers that were recorded when it ran.

        One that was given answers and asked for none (or died) keeps them.
        """
        return self if self.script and not exchanges else replace(self, script=exchanges)

    @property
    def simulated(self) -> bool:
        """Return whether some answer in the script was made up."""
        return any(each.source is AnswerSource.SIMULATED for each in self.script or ())

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs in the content slots."""
        return tuple(
            argument.input
            for argument in self.arguments.values()
            if isinstance(argument, InputArgument) and argument.input is not None
        )
