"""Failures of varied examples that no base judges: those that no valid input explains away.

A value that the project's descriptions name may still not go with the example's data, such as a
layout of channels.  So a failure counts where it is a mistake in code whatever the data is, or
where the statement that fails hands no data over.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from analyzers.drivers.definitions import Definitions
from analyzers.drivers.variations import Edit
from analyzers.inference.facts import ProjectTexts
from analyzers.inference.function_lookup import find_function
from analyzers.ports import Executor
from analyzers.vocabulary import Program, Raised, Returned, Run, Target

_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute")
_SIGNATURE = re.compile(
    r"missing \d+ required (positional|keyword-only) argument"
    r"|got an unexpected keyword argument|takes .* positional arguments? but"
)
_NONE = "NoneType"
_ENDING = re.compile(r"(?:reset|clear|close|free|release|init)")
"""Methods after which an object has nothing of what it was given."""


@dataclass(frozen=True, slots=True)
class FailedExample:
    """An example that raises with edits, and returns without them.

    ``completed`` of its statements ended; ``text`` is that of the file that raises.
    """

    program: Program
    edits: Sequence[Edit]
    ending: Raised
    completed: int
    text: str

    @property
    def statement(self) -> str:
        """The statement that raises."""
        body = ast.parse(self.program.source).body
        return ast.unparse(body[self.completed]) if self.completed < len(body) else ""

    @property
    def shortest(self) -> Program:
        """The program up to the statement that raises."""
        body = ast.parse(self.program.source).body[: self.completed + 1]
        return replace(self.program, source=ast.unparse(ast.Module(body, [])))

    def is_mistake(self, definitions: Definitions) -> bool:
        """Return whether documented edits show a mistake in code, whatever the data is."""
        if not self.edits or not all(each.documented for each in self.edits):
            return False
        message = self.ending.message
        owner = _ATTRIBUTE.search(message)
        if any(map(_is_number, self.edits)) or _NONE in message:
            return False  # a size may not fit another one, a value be needed for another
        if any(each.kind == "after" and not each.text.endswith(".eval()") for each in self.edits):
            ready = owner is None and _is_fed(self.program, self.statement)
            return ready and _hands_nothing_over(self.statement)
        sure = {
            "AttributeError": owner is not None and self._is_within(owner[1], definitions),
            "KeyError": message in {each.text for each in self.edits},
            "NameError": not self._is_imported(message),
            "TypeError": self._is_wrong_call(message),
            "UnboundLocalError": True,
        }
        return sure.get(self.ending.exception, False) or _hands_nothing_over(self.statement)

    def _is_within(self, owner: str, definitions: Definitions) -> bool:
        """Return whether the code that raises is of a class of the project, or of its bases."""
        node = definitions.classes.get(owner)
        bases = [] if node is None else definitions.bases(node)
        return self.ending.function.partition(".")[0] in {each.name for each in bases}

    def _is_imported(self, message: str) -> bool:
        """Return whether a file imports the unbound name somewhere: what may not be installed."""
        name = re.search(r"'(\w+)'", message)
        return name is None or bool(re.search(rf"\b(import|as) .*\b{name[1]}\b", self.text))

    def _is_wrong_call(self, message: str) -> bool:
        """Return whether the code calls with arguments that another function has."""
        named = set(re.findall(r"'(\w+)'", message))
        wrong = _SIGNATURE.search(message) is not None
        return wrong and named.isdisjoint(each.name for each in self.edits)


def _is_fed(program: Program, statement: str) -> bool:
    """Return whether the object that a statement calls was given something before, for good."""
    found = False
    called = re.match(r"(?:\w+ = )?(\w+)\.", statement)
    for node in ast.walk(ast.parse(program.source)) if called is not None else ():
        if isinstance(node, ast.Call) and called is not None:
            first, _, method = ast.unparse(node.func).partition(".")
            if first == called[1] and _ENDING.match(method):
                return False
            found |= first == called[1] and bool(node.args)
    return found


def variable_of_nan(before: Run, after: Run) -> str | None:
    """Return the variable that held finite numbers in one run, and holds NaN alone in another."""
    earlier, later = _variables(before), _variables(after)
    return next(
        (name for name, each in later.items() if _is_nan(each) and _is_finite(earlier.get(name))),
        None,
    )


def _variables(run: Run) -> Mapping[str, Mapping[str, Any]]:
    seen = run.ending.observation if isinstance(run.ending, Returned) else None
    return {} if seen is None else cast("Mapping[str, Mapping[str, Any]]", seen["arguments"])


def _is_nan(described: Mapping[str, Any]) -> bool:
    if described["kind"] == "array":
        return not described.get("finite") and {*described["numbers"]} == {"nan"}
    return described["kind"] == "number" and bool(described["number"] == "nan")


def _is_finite(described: Mapping[str, Any] | None) -> bool:
    if described is None or described["kind"] == "array":
        return described is not None and described.get("finite") == math.prod(described["shape"])
    return described["kind"] == "number" and isinstance(described["number"], float | int)


def names_nan(target: Target, bench: Executor) -> bool:
    """Return whether the docstring of a function, or of its class, speaks of NaN."""
    subject = find_function(target.path, target.function, ProjectTexts(bench))
    nodes = [] if subject is None else [subject.node, subject.owner]
    texts = (ast.get_docstring(each) or "" for each in nodes if each is not None)
    return any(re.search(r"\bnan\b", each, re.IGNORECASE) for each in texts)


def binding_statement(program: Program, name: str) -> str:
    """Return the last statement of a program that binds a variable."""
    found = ""
    for each in ast.parse(program.source).body:
        targets = each.targets if isinstance(each, ast.Assign) else []
        nodes = (node for target in targets for node in ast.walk(target))
        if any(isinstance(node, ast.Name) and node.id == name for node in nodes):
            found = ast.unparse(each)
    return found


def _is_number(edit: Edit) -> bool:
    return edit.kind in ("literal", "keyword") and re.match(r"-?\.?\d", edit.text) is not None


def _hands_nothing_over(statement: str) -> bool:
    """Return whether a statement is a method's call to which only literals are given."""
    (node,) = ast.parse(statement).body or [ast.Pass()]
    call = getattr(node, "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    given = [*call.args, *(each.value for each in call.keywords)]
    return isinstance(call.func.value, ast.Name) and all(
        isinstance(each, ast.Constant) for each in given
    )
