"""How a model file is run: as it is where it runs its models, else with a line that does.

Loops that train are cut down to one step: a step shows what there is to be seen of a layer.
Lines stay where they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from analyzers.assembly.input_shapes import inputs
from analyzers.assembly.layer_tables import LayerApi
from analyzers.assembly.parameter_flow import Function, layers_of
from analyzers.ports import Executor
from analyzers.vocabulary import AssembledRun, AssemblyRequest, Target

BATCH = 64
BATCH_SECONDS = 120.0
FILE_SECONDS = 10.0
_REFUSED_EARLY = frozenset({"load", "build"})
_MARK = "assayer-version "
_VERSION = f"import torch\nraise RuntimeError('{_MARK}' + torch.__version__)\n"


class ScriptRunner:
    """Runs texts through a bench, and gathers what of the library they come to.

    ``called`` are the layers and functions in files that came as far as a call of their
    model, ``ran`` those in files that ran to their end.  ``kept`` seconds are for later.
    """

    kept = 0.0

    def __init__(self, target: Target, bench: Executor) -> None:
        self._target = target
        self._bench = bench
        self.called: set[str] = set()
        self.ran: set[str] = set()

    def __call__(self, texts: Sequence[str]) -> Sequence[AssembledRun]:
        """Return one state for each text, in order."""
        outcomes = self._run(texts)
        for outcome in outcomes:
            if outcome.state == "ran":
                self.ran.update(outcome.apis)
            if outcome.state == "ran" or outcome.stage not in {"", *_REFUSED_EARLY}:
                self.called.update(outcome.apis)
        return outcomes

    def all(self, texts: Sequence[str]) -> list[AssembledRun]:
        """Return one state for each of many texts that are no assembled files; in batches."""
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return [outcome for batch in batches for outcome in self._run(batch)]

    def version(self) -> str:
        """Return the version of torch there; empty where there is none."""
        (outcome,) = self._run([_VERSION])
        _, mark, version = outcome.detail.partition(_MARK)
        return version if mark else ""

    def remaining(self) -> float:
        """Seconds left for now."""
        return self._bench.remaining() - self.kept

    def _run(self, texts: Sequence[str]) -> Sequence[AssembledRun]:
        files = tuple(texts)
        seconds = max(1.0, min(BATCH_SECONDS, self.remaining()))
        wanted = AssemblyRequest(
            self._target.path,
            files,
            timeout=FILE_SECONDS,
            seconds=seconds,
            seed=self._bench.plan.seed,
        )
        return self._bench.assemble(self._target, wanted)


_DRIVEN = "\n\n\nif __name__ == '__main__':\n    (_output := {}).sum().backward()\n"
_BUILDERS = ("build", "inputs")


def runnable_text(text: str, apis: Mapping[str, LayerApi], run: ScriptRunner) -> str | None:
    """Return a text that builds, calls and derives the file's models; ``None`` if unknown.

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
    for each in owner.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            own = each.args
            free = len(own.posonlyargs) + len(own.args) - len(own.defaults)
            return each if free == 1 and None not in own.kw_defaults else None
    return None


def _one_step(text: str) -> str:
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
