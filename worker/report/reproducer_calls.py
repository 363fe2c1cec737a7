"""The calls of a reproducer, their inputs and answers, as Python text."""

from __future__ import annotations

import ast
import base64
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace

from analyzers.guest.protocol.input_paths import ARGUMENTS, WEB, ValueBuilder, build_values, parse
from analyzers.vocabulary import (
    AnswerSource,
    Argument,
    Finding,
    Form,
    InertArgument,
    Input,
    InputArgument,
    LiteralArgument,
    Probe,
    RecipeArgument,
)
from worker.report.report_messages import inputs_of
from worker.report.report_templates import literal

BASE64_WIDTH = 88
COMMENT_WIDTH = 86
_BLANK_PICTURE = "BLANK_PICTURE"
EMPTY = {form: _BLANK_PICTURE if form in (Form.PIL, Form.NUMPY) else 'b""' for form in Form}


@dataclass(frozen=True, slots=True)
class ReproducerCall:
    """One call, as Python text: arguments by name, and the answers; ``note`` says whose."""

    arguments: tuple[tuple[str, str], ...]
    answers: str
    note: str = ""


def reproducer_calls(finding: Finding) -> list[ReproducerCall]:
    """Return the calls of a finding; a slot without an input is given an empty one."""
    names = _names(finding)
    return [_case(probe, names) for probe in finding.probes]


def constants(finding: Finding) -> list[tuple[str, str, str]]:
    """``(comment, name, value)`` of each input's content."""
    names = _names(finding)
    return [
        (comment(item.description), names[item.digest], _bytes(item)) for item in inputs_of(finding)
    ]


def forms(finding: Finding) -> set[str]:
    """Return the forms in which the finding's inputs are given."""
    arguments = [item for probe in finding.probes for item in probe.arguments.items()]
    return {_at(key, a).form.value for key, a in arguments if isinstance(a, InputArgument)}


def roots(finding: Finding) -> set[str]:
    """Return where the inputs stand outside of the function: ``input()``, ``flask.request``."""
    places = {parse(key) for probe in finding.probes for key in probe.arguments}
    return {
        "open()" if place.file is not None else place.root
        for place in places
        if not place.is_parameter
    }


def things(finding: Finding) -> set[str]:
    """Return the kinds of objects that hold inputs: ``Request``, ``thing``."""
    written = [value for case in reproducer_calls(finding) for _, value in case.arguments]
    return {name for name in ("Request", "thing") if any(f"{name}(" in text for text in written)}


def comment(text: str) -> str:
    """Return the text as comment lines that hold no control character."""
    indent = "    " if text.startswith("    ") else ""
    lines = textwrap.wrap(
        printable(text).strip(), COMMENT_WIDTH, initial_indent=indent, subsequent_indent=indent
    )
    return "\n".join(f"# {line}".rstrip() for line in lines or [""])


def printable(text: str) -> str:
    """Return the text on one line, without control characters."""
    return "".join(c if c.isprintable() else " " for c in text)


def _names(finding: Finding) -> dict[str, str]:
    return {item.digest: f"INPUT_{number}" for number, item in enumerate(inputs_of(finding), 1)}


def _case(probe: Probe, names: Mapping[str, str]) -> ReproducerCall:
    given = {key: _placed(key, value, names) for key, value in probe.arguments.items()}
    arguments = tuple(build_values(given, _TEXT).items())
    answers = [(exchange.api, exchange.answer) for exchange in probe.script or ()]
    return ReproducerCall(arguments, literal(answers, 12), _note(probe))


def _note(probe: Probe) -> str:
    """Return the comment beside answers that the provider did not give."""
    sources = {exchange.source for exchange in probe.script or ()}
    if AnswerSource.SIMULATED in sources:
        return "# Simulated: valid by the API's schema, but no engine gave this answer."
    local = AnswerSource.LOCAL in sources
    return "# Answered by a local stand-in for the provider." if local else ""


def _placed(key: str, argument: Argument, names: Mapping[str, str]) -> str:
    """An argument at its place: made words follow the name of the program."""
    if isinstance(argument, RecipeArgument) and key == ARGUMENTS:
        return f"[None, *{argument.recipe}]"
    return _argument(_at(key, argument) if isinstance(argument, InputArgument) else argument, names)


def _at(key: str, content: InputArgument) -> InputArgument:
    """A content as its place takes it: a file that the code opens is there as a file."""
    return content if parse(key).file is None else replace(content, form=Form.PATH)


def _mapping(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{literal(name)}: {value}" for name, value in values.items()) + "}"


def _thing(fields: Mapping[str, str]) -> str:
    made = "Request" if WEB & fields.keys() else "thing"
    return f"{made}({', '.join(f'{name}={value}' for name, value in fields.items())})"


_TEXT = ValueBuilder(lambda items: f"[{', '.join(items)}]", _mapping, _thing, "None")


def _argument(argument: Argument, names: Mapping[str, str]) -> str:
    match argument:
        case LiteralArgument():
            return literal(ast.literal_eval(argument.source), 16)
        case InertArgument():
            return "MagicMock()"
        case RecipeArgument():
            return argument.recipe
        case InputArgument():
            item = argument.input
            if item is None:
                return _content(argument.form, EMPTY[argument.form], "")
            return _content(argument.form, names[item.digest], item.suffix)


def _content(form: Form, content: str, suffix: str) -> str:
    if form is Form.BYTES:
        return content
    if form in (Form.PATH, Form.FILE):
        return f"as_{form}(folder, {content}, {literal(suffix)})"
    return f"as_{form}({content})"


def _bytes(item: Input) -> str:
    try:
        text = item.content.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return f"{literal(text)}.encode()"
    text = base64.b64encode(item.content).decode("ascii")
    lines = [text[start : start + BASE64_WIDTH] for start in range(0, len(text), BASE64_WIDTH)]
    return 'base64.b64decode(\n    """\n' + "\n".join(lines) + '\n    """\n)'
