"""What the textual sources say of the functions of a file."""

from analyzers.guest.annotations.reading import definitions
from analyzers.guest.annotations.rendering import render
from analyzers.inference import defaults, docstrings, guards, hints, names
from analyzers.inference.merging import merged
from analyzers.inference.subject import parsed, subject_of

SOURCES = (hints, guards, defaults, docstrings, names)


def subjects(path, source, sources=None):
    """The functions of a file in their order."""
    every = {path: source, **(sources or {})}
    named = sorted(definitions(parsed(source)), key=lambda item: item[1].lineno)
    return [subject_of(path, name, every) for name, _ in named]


def inference(subject):
    """What the textual sources say together."""
    return merged(fact for source in SOURCES for fact in source.facts(subject))


def told(subject):
    """What is inferred, a line for each parameter and condition."""
    found = inference(subject)
    lines = [_line(arg.arg, found.arguments.get(arg.arg)) for arg in subject.parameters]
    lines += [f"require {each.condition}" for each in found.requires]
    returned = hints.returned(subject)
    return [*lines, *([f"returns {render(returned)}"] if returned is not None else [])]


def _line(name, inferred):
    if inferred is None:
        return f"{name}: absent"
    return f"{name}: {render(inferred.constraint)} {inferred.confidence.name}"
