"""Argument matching (DeepREL, section 4.2): a template from two parameter lists."""

from __future__ import annotations

import keyword
from typing import Dict, List, Optional, Sequence, Tuple

from ..nouns import LAYER, Api, Parameter
from .bipartite import assignment
from .similarity import ALIKE, bare, of_names, of_parameters, of_positions

_NEVER = -1000.0


def assigned(source: Api, target: Api) -> Optional[str]:
    """The target's call with the source's arguments, or ``None`` where one is left over.

    A template over the names of the source's parameters, such as
    ``torch.tensor_split(input, indices_or_sections)``,
    ``torch.nn.Softshrink(lambd=lambd)(input)`` or ``torch.Tensor.abs_(input)``.
    Required parameters of either are all matched; optional ones only where
    their names are alike, and otherwise keep their defaults.
    """
    matched = _matched(source.parameters, target.parameters)
    if matched is None or not all(map(_is_name, matched.values())):
        return None
    outer = [item for item in target.parameters if not item.is_input]
    made = f"{target.name}({', '.join(_arguments(outer, matched))})"
    if target.kind != LAYER:
        return made
    inputs = _inputs([item for item in target.parameters if item.is_input], matched)
    return None if inputs is None else f"{made}({', '.join(inputs)})"


def _matched(
    sources: Sequence[Parameter], targets: Sequence[Parameter]
) -> Optional[Dict[str, Parameter]]:
    """For each matched parameter of the target, by name, that of the source.

    Where the best matching leaves a required parameter out, it is sought among
    the required ones alone: optional ones must not take their partners.
    """
    for some in (False, True):
        pairs = _best(sources, targets, some)
        if _complete(pairs, sources, targets):
            return {right.name: left for left, right in pairs}
    return None


def _best(
    sources: Sequence[Parameter], targets: Sequence[Parameter], only_required: bool
) -> List[Tuple[Parameter, Parameter]]:
    longest = max(len(sources), len(targets))
    weights = [
        [
            _NEVER
            if _are_apart(left, right, only_required)
            else of_parameters(left, right, of_positions(row, column, longest))
            for column, right in enumerate(targets)
        ]
        for row, left in enumerate(sources)
    ]
    chosen = assignment(weights)
    return [
        (sources[row], targets[column])
        for row, column in enumerate(chosen)
        if column is not None and weights[row][column] > _NEVER
    ]


def _are_apart(left: Parameter, right: Parameter, only_required: bool) -> bool:
    if right.name.startswith("**") or left.name.startswith("**"):
        return True
    alike = of_names(bare(left.name), bare(right.name)) >= ALIKE
    if left.required and right.required:
        return False
    if not left.required and not right.required:
        return not alike
    return only_required and not alike


def _complete(
    pairs: Sequence[Tuple[Parameter, Parameter]],
    sources: Sequence[Parameter],
    targets: Sequence[Parameter],
) -> bool:
    needed = [item for item in (*sources, *targets) if item.required]
    found = {id(item) for pair in pairs for item in pair}
    return all(id(item) in found for item in needed)


def _is_name(parameter: Parameter) -> bool:
    name = bare(parameter.name)
    return name.isidentifier() and not keyword.iskeyword(name)


def _arguments(parameters: Sequence[Parameter], matched: Dict[str, Parameter]) -> List[str]:
    """What is required comes by position as long as nothing is left out; the rest by keyword."""
    positional: List[str] = []
    keywords: List[str] = []
    gap = False
    for parameter in parameters:
        given = matched.get(parameter.name)
        if given is not None and parameter.name.startswith("*"):
            positional.append(("*" if _can_spread(given) else "") + bare(given.name))
        elif given is not None and not gap and parameter.required and not parameter.keyword_only:
            positional.append(bare(given.name))
        elif given is not None:
            keywords.append(f"{bare(parameter.name)}={bare(given.name)}")
        gap = gap or given is None or not parameter.required
    return positional + keywords


def _can_spread(given: Parameter) -> bool:
    """Whether it has been a sequence, as far as is known."""
    known = given.name.startswith("*") or not given.types
    return known or not given.types.isdisjoint(("tuple", "list", "Size"))


def _inputs(parameters: Sequence[Parameter], matched: Dict[str, Parameter]) -> Optional[List[str]]:
    """A layer is called by position: nothing may follow an input that is left out."""
    given = [matched.get(parameter.name) for parameter in parameters]
    while given and given[-1] is None:
        given.pop()
    if None in given:
        return None
    return [
        ("*" if parameter.name.startswith("*") else "") + bare(left.name)
        for parameter, left in zip(parameters, given)
        if left is not None
    ]
