"""How a model file is run: as it is where it runs its models, else with a line that does.

Loops that train are cut down to one step: a step shows what there is to be seen of a layer.
Lines stay where they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from analyzers.assembly.campaign.running import Running
from analyzers.assembly.configuration import Function, layers_of
from analyzers.assembly.constraints import LayerApi
from analyzers.assembly.inputs import inputs

_DRIVEN = "\n\n\nif __name__ == '__main__':\n    (_output := {}).sum().backward()\n"
_BUILDERS = ("build", "inputs")


def driven(text: str, apis: Mapping[str, LayerApi], run: Running) -> str | None:
    """A text that builds, calls and derives the file's models; ``None`` where nobody says how.

    Raises ``SyntaxError`` for what is no Python.
    """
    texts = [_one_step(text), *(text + _DRIVEN.format(each) for each in _calls(text, apis))]
    outcomes = run(texts)
    found = (
        each
        for each, outcome in zip(texts, outcomes, strict=True)
        if outcome.state == "ran" and set(outcome.apis) & set(apis)
    )
    return next(found, None)


def _calls(text: str, apis: Mapping[str, LayerApi]) -> Iterator[str]:
    """Calls of the models of a file on inputs that they may take, the likeliest first."""
    tree = ast.parse(text)
    names = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    if names.issuperset(_BUILDERS):
        yield "build()(*inputs())"
    for owner in reversed([each for each in tree.body if isinstance(each, ast.ClassDef)]):
        constructor = _constructor(owner)
        if constructor is not None:
            built = layers_of(constructor, text, apis)
            for given in inputs(constructor, built, text):
                yield f"{owner.name}()({given})"


def _constructor(owner: ast.ClassDef) -> Function | None:
    """The constructor of a class, where its defaults say how it is built."""
    for each in owner.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            own = each.args
            free = len(own.posonlyargs) + len(own.args) - len(own.defaults)
            return each if free == 1 and None not in own.kw_defaults else None
    return None


def _one_step(text: str) -> str:
    """The text with each loop over a number that derives a loss run once."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.For(
                iter=ast.Call(func=ast.Name("range"), args=[ast.Constant(int()) as times])
            ) if _derives(node):
                line = lines[times.lineno - 1].encode()
                cut = line[: times.col_offset] + b"1" + line[times.end_col_offset :]
                lines[times.lineno - 1] = cut.decode()
            case _:
                pass
    return "".join(lines)


def _derives(loop: ast.For) -> bool:
    calls = (each.func for each in ast.walk(loop) if isinstance(each, ast.Call))
    return any(isinstance(func, ast.Attribute) and func.attr == "backward" for func in calls)
