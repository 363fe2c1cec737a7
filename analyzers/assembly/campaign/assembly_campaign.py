"""A model file taken apart and assembled anew many times, to find bugs of the library.

Moderate Code Construction (MoCo): the file's template and blocks, a derivation tree over
them, and the consistency of execution states.  What breaks it is tried by itself, in the
smallest program there is; what shows there, and nowhere is ruled in, is a finding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

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
from analyzers.assembly.campaign.model_scripts import BATCH, ScriptRunner, runnable_text
from analyzers.assembly.campaign.suspicions import Key, Suspicion, Suspicions, legal
from analyzers.assembly.derivation.derivation_tree import Node, Policy
from analyzers.assembly.derivation.tree_growth import derive
from analyzers.assembly.disassembly.blocks import DisassembledModel, UnreadableError
from analyzers.assembly.disassembly.disassembler import disassembled
from analyzers.assembly.layer_tables import LayerApi
from analyzers.ports import Executor
from analyzers.vocabulary import Finding, Skipped, Target, Verdict

Load = Callable[[str], Mapping[str, LayerApi]]
TREE_SHARE = 0.65
"""How much of the time the trees have; the rest is for trying again what they found."""
TIMES, NODES = 8, 20_000
_ROOM = "torch.nn."


class AssemblyCampaign:
    """Finds bugs of the library with one file; to be asked once for it.

    ``apis`` are the layers and functions that files called, ``ran`` those in files that ran
    to their end, ``alone`` the layers of assembled files that ran by themselves, as they are
    documented.  ``heard`` is told each node as it stands; ``nodes`` bounds their number.
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
        """Yield the trees of a file's models, each with a share of the time.

        One with four times as many blocks has twice as much: a loss alone is a model, too.
        """
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
