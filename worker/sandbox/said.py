"""Arguments and endings as a guest says them: what may be written into files of ours."""

from __future__ import annotations

import ast
from typing import cast

from analyzers.guest.annotations.nouns import Constraint, Expression
from analyzers.guest.annotations.parsing import Wrong
from analyzers.guest.annotations.parsing import parse as parse_constraint
from analyzers.guest.generation.recipes import BadRecipe
from analyzers.guest.generation.recipes import parse as parse_recipe
from analyzers.guest.places import parse as parse_place
from analyzers.vocabulary import ErrorOrigin, Form
from worker.sandbox.shapes import (
    BadFrame,
    Checker,
    amount,
    boolean,
    count,
    mapping,
    optional,
    record,
    text,
    variant,
)

LONGEST_SOURCE = 20_000
LONGEST_NAME = 100
ORIGINS = frozenset(origin.value for origin in ErrorOrigin)
FORMS = frozenset(form.value for form in Form)


def short(length: int) -> Checker:
    """Expect a text of at most ``length`` characters."""

    def check_short(value: object) -> None:
        if type(value) is not str or len(value) > length:
            raise BadFrame(f"is no text of at most {length} characters")

    return check_short


def form(value: object) -> None:
    """Expect the name of a form in which an input is given."""
    if type(value) is not str or value not in FORMS:
        raise BadFrame("is no form of an input")


def literal(value: object) -> None:
    """Expect the source of a Python literal: it is written into reproducers."""
    if type(value) is not str or len(value) > LONGEST_SOURCE:
        raise BadFrame("is no short text")
    try:
        ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise BadFrame("is no Python literal") from error


def recipe(value: object) -> None:
    """Expect the source of a recipe: it is written into reproducers."""
    if type(value) is not str or len(value) > LONGEST_SOURCE:
        raise BadFrame("is no short text")
    try:
        parse_recipe(value)
    except (BadRecipe, MemoryError, RecursionError) as error:
        raise BadFrame("is no recipe") from error


def is_constraint(value: object, longest: int, *, literal: bool = False) -> bool:
    """Whether a value is a constraint in the words of aN; ``literal``: it computes nothing."""
    if type(value) is not str or len(value) > longest:
        return False
    try:
        constraint = parse_constraint(value)
    except (Wrong, MemoryError, RecursionError):
        return False
    return not literal or _is_literal(constraint)


def _is_literal(argument: object) -> bool:
    if isinstance(argument, Constraint):
        return all(_is_literal(each) for _, each in argument.arguments)
    if isinstance(argument, tuple):
        return all(map(_is_literal, cast("tuple[object, ...]", argument)))
    return not isinstance(argument, Expression) or argument.literal


def arguments(value: object) -> None:
    """Expect arguments by places: they are written into reproducers."""
    _named(value)
    try:
        for name in value:  # type: ignore[attr-defined]
            parse_place(name)
    except ValueError as error:
        raise BadFrame("holds a name that no parameter or place can have") from error


def origin(value: object) -> None:
    """Expect a word for where an exception comes from."""
    if type(value) is not str or value not in ORIGINS:
        raise BadFrame("is no origin of an exception")


def name(value: object) -> None:
    """Expect a short name on one line, or nothing."""
    if type(value) is not str or len(value) > LONGEST_NAME or not value.isprintable():
        raise BadFrame("is no short name")


ENDING = variant(
    returned=record(kind=text, value=text),
    raised=record(
        frozenset({"origin", "meant"}),
        kind=text,
        exception=text,
        message=text,
        path=text,
        line=count,
        function=text,
        refusal=boolean,
        standin=boolean,
        origin=origin,
        meant=name,
    ),
    violated=record(kind=text, condition=text, detail=text),
    **{
        "timed-out": record(kind=text, seconds=amount),
        "not-run": record(frozenset({"our_fault"}), kind=text, reason=text, our_fault=boolean),
    },
)
ARGUMENT = variant(
    literal=record(kind=text, source=literal),
    content=record(
        frozenset({"blob", "suffix"}),
        kind=text,
        form=form,
        blob=optional(text),
        suffix=optional(text),
    ),
    inert=record(kind=text),
    made=record(kind=text, recipe=recipe),
)
_named = mapping(ARGUMENT)
ARGUMENTS = arguments
