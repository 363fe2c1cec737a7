"""The constants that stand next to goals."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Mapping, Sequence

from ..execution import Prepared
from ..goals import Decision, decisions
from .harvest import constants_in

MOST = 50


def constants_near(prepared: Prepared, goals: Sequence[str]) -> Dict[str, List[str]]:
    """By goal, the strings in its clause (or the member that it is about).

    Names in the clause count with the strings that the target's module binds
    to them.
    """
    wanted = set(goals)
    found: Dict[str, List[str]] = {}
    for path, source in prepared.sources.items():
        for decision in decisions(source):
            points = decision.points(path)
            for point, (clause, member, _) in zip(points, decision.outcomes):
                if point in wanted:
                    strings = _strings(prepared.namespace, decision, clause, member)
                    if strings:
                        found[point] = strings[:MOST]
    return found


def _strings(
    namespace: Mapping[str, Any], decision: Decision, clause: Any, member: Any
) -> List[str]:
    if member is not None:
        value = ast.literal_eval(member)
        return [value] if isinstance(value, str) else []
    text = decision.text if clause is None else decision.clauses[clause].text
    return list(dict.fromkeys([*constants_in(text), *_named(namespace, text)]))


def _named(namespace: Mapping[str, Any], text: str) -> List[str]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return []
    strings: List[str] = []
    for node in ast.walk(tree):
        value = namespace.get(node.id) if isinstance(node, ast.Name) else None
        if type(value) is str:
            strings.append(value)
        elif type(value) in (list, tuple, set, frozenset, dict):
            strings += sorted(item for item in value if type(item) is str)  # type: ignore[union-attr]
    return strings
