"""A model file taken apart and assembled anew many times, to find bugs of the library.

Moderate Code Construction (MoCo): the file's template and blocks, a derivation tree over
them, and the consistency of execution states.  What breaks it is tried by itself, in the
smallest program there is; what shows there, and nowhere is ruled in, is a finding.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from analyzers.assembly import layer_tables
from analyzers.assembly.assembly_findings import NAME
from analyzers.assembly.campaign.library_findings import (
    DIED,
    TAKEN,
    finding,
    is_backed,
    parse_consequence,
    question_program,
)
from analyzers.assembly.campaign.suspicions import Key, Suspicion, Suspicions, legal
from analyzers.assembly.derivation.derivation_tree import Node, Policy
from analyzers.assembly.derivation.tree_growth import derive
from analyzers.assembly.disassembly.blocks import DisassembledModel, UnreadableError
from analyzers.assembly.disassembly.disassembler import disassembled
from analyzers.assembly.input_shapes import inputs
from analyzers.assembly.layer_tables import LayerApi
from analyzers.assembly.parameter_flow import Function, layers_of
from analyzers.ports import Executor
from analyzers.vocabulary import AssembledRun, AssemblyRequest, Finding, Skipped, Target, Verdict

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
    """Return text that builds, calls and derives the models; may raise ``SyntaxError``."""
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


Load = Callable[[str], Mapping[str, LayerApi]]
TREE_SHARE = 0.65
"""How much of the time the trees have; the rest is for trying again what they found."""
TIMES, NODES = 8, 20_000
_ROOM = "torch.nn."


class AssemblyCampaign:
    """Finds bugs of the library with one file; to be asked once for it.

    ``apis`` are the layers and functions that files called, ``ran`` those in files that ran
    to their end, ``alone`` the layers that ran by themselves, as they are documented: those of
    assembled files, and others such as losses.  ``heard`` is called with each node as it is
    made; ``nodes`` bounds their number.
    """

    name = NAME

    def __init__(
        self,
        load: Load = layer_tables.load,
        heard: Callable[[Node], object] = lambda _: None,
        nodes: int = NODES,
    ) -> None:
        self._load = load
        self._heard = heard
        self._nodes = nodes
        self.apis: set[str] = set()
        self.ran: set[str] = set()
        self.alone: set[str] = set()

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield what is found in the target's file, crashes first."""
        run = ScriptRunner(target, bench)
        self.apis, self.ran = run.called, run.ran
        known = self._load(run.version())
        apis = {name: api for name, api in known.items() if name.startswith(_ROOM)}
        if not apis:
            yield Skipped(NAME, target.id, "nothing is known of the layers of its torch")
            return
        try:
            text = runnable_text(bench.source(target.path), apis, run)
            models = disassembled(text) if text is not None else []
        except (SyntaxError, UnreadableError) as error:
            yield Skipped(NAME, target.id, f"{target.path} cannot be read: {error}")
            return
        if not models:
            reason = f"nobody says how a model of {target.path} is built and called"
            yield Skipped(NAME, target.id, reason)
            return
        suspicions = Suspicions(apis)
        for node in self._grown(models, apis, run, bench.plan.seed):
            suspicions.heed(node)
            self._heard(node)
        run.kept = 0.0
        for outcome in run.all([each.program for each in suspicions.calls()]):
            if outcome.state == "ran":
                self.alone.update(outcome.apis)
        yield from self._confirmed(suspicions, run, target)

    def _grown(
        self,
        models: list[DisassembledModel],
        apis: Mapping[str, LayerApi],
        run: ScriptRunner,
        seed: int,
    ) -> Iterator[Node]:
        """Yield the trees of a file's models, each with a share of time by its blocks."""
        run.kept = run.remaining() * (1 - TREE_SHARE)
        left = run.remaining()
        weights = [math.sqrt(len(each.blocks)) for each in models]
        for number, model in enumerate(models):
            share = weights[number] / sum(weights)
            policy = Policy(
                times=TIMES,
                nodes=max(2, round(self._nodes * share)),
                seconds=min(left * share, run.remaining()),
                batch=BATCH,
                seed=seed + number,
            )
            yield from derive(model, apis, run, policy)

    def _confirmed(
        self, suspicions: Suspicions, run: ScriptRunner, target: Target
    ) -> Iterator[Finding]:
        told = dict[Key, Finding]()
        suspected = list(suspicions.all())
        outcomes = run.all([_question(each) for each in suspected])
        for suspicion, outcome in zip(suspected, outcomes, strict=True):
            witness = parse_consequence(outcome, list(legal(suspicion.parameter)))
            shown = witness.state in {DIED, TAKEN} and is_backed(suspicion, witness)
            if shown and suspicion.key not in told:
                told[suspicion.key] = finding(suspicion, witness, target)
        yield from sorted(told.values(), key=lambda each: each.level != "failure")


def _question(suspicion: Suspicion) -> str:
    name = suspicion.parameter.name
    values = {each: suspicion.call.with_value(name, each) for each in legal(suspicion.parameter)}
    return question_program(suspicion.call, values)
