"""A driver that makes a call of the project's own code once more, with what it was given.

Callables, modules, optimizers and configurations cannot be written down; a program that is
watched while it runs has them.  The arguments of the first call are kept, and the call is made
again at the end of the program, where it can be varied.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from analyzers.drivers.usage_programs import Driver, module_of
from analyzers.inference.facts import FunctionContext

AGAIN = "again"
"""The variable of what the repeated call returns."""
INSTANCE = "instance"
"""The variable of what the call is made on."""
_UNBOUND = frozenset({"staticmethod"})
_WATCHED = """\
import inspect
import sys
from {module} import {name}
watched = inspect.unwrap({function}).__code__
passed = {{}}
def keep(frame, event, _):
    if event == "call" and frame.f_code is watched and not passed:
        passed.update((name, frame.f_locals[name]) for name in {names!r})
sys.setprofile(keep)
{program}
sys.setprofile(None)
"""


def call_again(driver: Driver, function: FunctionContext) -> Driver | None:
    """Return a driver with the first call of a function that it leads to, made again at its end.

    ``None`` where a call by name is not the same: constructors and other methods with special
    names, properties, coroutines, functions within functions, methods of other files.
    """
    node, name = function.node, function.function
    marks = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
    special = node.name.startswith("__") or marks & {"property", "setter", "cached_property"}
    if special or "<" in name or function.home or isinstance(node, ast.AsyncFunctionDef):
        return None
    lines, given = _arguments(node, bound=function.owner is not None and not marks & _UNBOUND)
    if "classmethod" in marks:
        lines, given = lines[1:], given[1:]
    program = _WATCHED.format(
        module=module_of(function.path),
        name=name.partition(".")[0],
        function=name,
        names=_parameters(node),
        program=driver.source,
    )
    source = "\n".join([program.rstrip(), *lines, f"{AGAIN} = {name}({', '.join(given)})"])
    return replace(
        driver,
        source=source,
        fixed=len(ast.parse(source).body) - 1,
        says=f"`{node.name}` called once more",
        guessed=any(each.startswith("_") for each in name.split(".")),
    )


def _parameters(node: ast.FunctionDef) -> tuple[str, ...]:
    spec = node.args
    stars = [each for each in (spec.vararg, spec.kwarg) if each is not None]
    return tuple(e.arg for e in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *stars))


def _arguments(node: ast.FunctionDef, *, bound: bool) -> tuple[list[str], list[str]]:
    """Return assignments of what was passed to names, and the arguments that these are."""
    spec = node.args
    placed = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    by_place = len(placed) if spec.vararg else len(spec.posonlyargs) + bound
    named = [*placed[by_place:], *(each.arg for each in spec.kwonlyargs)]
    stars = {each.arg: star for each, star in ((spec.vararg, "*"), (spec.kwarg, "**")) if each}
    names = {each: INSTANCE if bound and each == placed[0] else each for each in placed[:1]}
    every = [*placed, *(each.arg for each in spec.kwonlyargs), *stars]
    lines = [f"{names.get(each, each)} = passed[{each!r}]" for each in every]
    given = [names.get(each, each) for each in placed[:by_place]]
    given += [f"*{name}" for name, star in stars.items() if star == "*"]
    given += [f"{each}={each}" for each in named]
    given += [f"**{name}" for name, star in stars.items() if star == "**"]
    return lines, given
