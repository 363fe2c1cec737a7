"""Whether the target's contract admits arguments."""

from __future__ import annotations

from typing import Any, Mapping

from ...annotations.nouns import Constraint
from ...annotations.parsing import Wrong
from ...arguments import Unusable, decode, made
from ...exploring.dimensions import Dimensions
from ...exploring.matching import parsed, problem_of_call
from ...generation.solving.conditions import compiled, is_true
from .request import Request


class Admission:
    """Looks at values of arguments together, as strategies would draw them."""

    def __init__(self, request: Request) -> None:
        contract: Mapping[str, Any] = request.message["contract"]
        self._prepared = request.prepared
        self._constraints = dict(_constraints(contract.get("arguments") or {}))
        self._requires = tuple(contract.get("requires") or ())

    def admits(self, arguments: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether the arguments meet their constraints and the preconditions."""
        namespace = self._prepared.namespace
        try:
            values = {name: self._value(name, given) for name, given in arguments.items()}
        except Unusable:
            return False
        known = Dimensions(namespace, values)
        if problem_of_call(values, self._constraints, namespace, known) is not None:
            return False
        environment = {**namespace, **known.sizes, **values}
        return all(is_true(compiled(source), environment) for source in self._requires)

    def _value(self, name: str, given: Mapping[str, Any]) -> Any:
        if given.get("kind") == "made":
            return made(name, given["recipe"], self._prepared.namespace)
        return decode(given, self._prepared.blobs)


def _constraints(texts: Mapping[str, str]) -> Mapping[str, Constraint]:
    found = {}
    for name, text in texts.items():
        try:
            found[name] = parsed(text)
        except Wrong:
            continue
    return found
