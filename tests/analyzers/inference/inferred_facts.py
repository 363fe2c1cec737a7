"""What the textual sources say of the functions of a file."""

from analyzers.guest.annotations.annotation_reader import definitions
from analyzers.guest.annotations.syntax import render
from analyzers.inference.constraint_sources import (
    default_values,
    docstring_facts,
    guard_facts,
    parameter_names,
    type_hints,
)
from analyzers.inference.facts import parse_module
from analyzers.inference.function_lookup import find_function
from analyzers.inference.merging import merge_facts

SOURCES = (type_hints, guard_facts, default_values, docstring_facts, parameter_names)


def subjects(path, source, sources=None):
    """The functions of a file in their order."""
    every = {path: source, **(sources or {})}
    named = sorted(definitions(parse_module(source)), key=lambda item: item[1].lineno)
    return [find_function(path, name, every) for name, _ in named]


def inference(subject):
    """What the textual sources say together."""
    return merge_facts(fact for source in SOURCES for fact in source.facts(subject))


def told(subject):
    """What is inferred, a line for each parameter and condition."""
    found = inference(subject)
    lines = [_line(arg.arg, found.arguments.get(arg.arg)) for arg in subject.parameters]
    lines += [f"require {each.condition}" for each in found.requires]
    returned = type_hints.returned_shape(subject)
    return [*lines, *([f"returns {render(returned)}"] if returned is not None else [])]


def _line(name, inferred):
    if inferred is None:
        return f"{name}: absent"
    return f"{name}: {render(inferred.constraint)} {inferred.confidence.name}"
