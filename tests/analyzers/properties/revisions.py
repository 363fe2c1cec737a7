"""A bench whose base and head are two texts of one file that run in this process."""

import inspect
import random
import sys
import traceback
import types
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import torch

from analyzers.criteria import is_refused_call
from analyzers.guest.inputs.exploration.postcondition_checks import (
    check_postconditions,
    described_values,
)
from analyzers.guest.inputs.exploration.postconditions import CALL_WORDS, compiled
from analyzers.guest.inputs.recipes import evaluate, parse
from analyzers.guest.protocol.argument_decoding import Unusable
from analyzers.guest.runtime.execution import PreparedTarget
from analyzers.guest.runtime.observation import observation, random_digest
from analyzers.guest.runtime.programs import ProgramRun
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import (
    NotRun,
    Raised,
    Reason,
    Returned,
    Run,
    Target,
    Violated,
)
from tests.analyzers.benches import IdleBench

PATH = "net.py"


@dataclass
class Revision:
    """One text of the file, with its names."""

    text: str

    def __post_init__(self):
        self.names = {}
        exec(compile(self.text, PATH, "exec"), self.names)

    def run(self, probe):
        if probe.program is not None:
            return self._run_program(probe)
        random.seed(0)
        torch.default_generator.manual_seed(0)
        function = probe.target.partition("::")[2]
        try:
            made = {n: evaluate(parse(a.recipe), self.names) for n, a in probe.arguments.items()}
            instance = made.pop("self", None)
            called = (
                self.names[function]
                if instance is None
                else getattr(instance, function.rpartition(".")[2])
            )
        except Exception as error:  # noqa: BLE001 - the tested code's own
            return Run(NotRun(f"the call could not be made: {error}"))
        values = made if instance is None else {**made, "self": instance}
        before = random_digest()
        try:
            result = called(**made)
        except Exception as error:  # noqa: BLE001 - the tested code's own
            return Run(self._raised(error))
        if probe.ensures and not probe.observed:
            return self._asked(probe, result, {**_defaults(called), **values})
        state = random_digest()
        if probe.ensures:
            values |= described_values(*self._prepared(probe), probe.ensures)
        seen = observation(result, values, drew=state != before, state=state)
        return Run(Returned("", seen if probe.observed else None))

    def _run_program(self, probe):
        module = types.ModuleType(Path(PATH).stem)
        module.__dict__.update(self.names)
        program = ProgramRun(probe.program.source, "", probe.watched)
        with mock.patch.dict(sys.modules, {module.__name__: module}):
            ending = self._ending(program, probe)
        lines = {path: frozenset(ran) for path, ran in program.lines.items()}
        return Run(ending, completed=program.completed, lines=lines)

    def _ending(self, program, probe):
        try:
            program.run()
            broken = program.check(probe.ensures)
        except Exception as error:  # noqa: BLE001 - the tested code's own
            own = any(f.filename == PATH for f in traceback.extract_tb(error.__traceback__))
            called = str(error).partition("()")[0]
            refused = Raised("TypeError", str(error), PATH, 1, called, refusal=True)
            if not own and is_refused_call(refused) and called.partition(".")[0] in self.names:
                return refused
            said = f"the call could not be made: {type(error).__name__}: {error}"
            return self._raised(error) if own else NotRun(said)
        if broken is not None:
            return Violated(broken["condition"], broken["detail"])
        return Returned("", program.observation() if probe.observed else None)

    def _raised(self, error):
        frames = traceback.walk_tb(error.__traceback__)
        own = [(frame.f_code, line) for frame, line in frames if frame.f_code.co_filename == PATH]
        code, line = own[-1]
        refusal = self.text.splitlines()[line - 1].strip().startswith(("raise", "assert"))
        name = type(error).__name__
        return Raised(name, str(error), PATH, line, code.co_qualname, refusal=refusal)

    def _asked(self, probe, result, values):
        try:
            for condition in probe.ensures:
                if compiled(condition).words & CALL_WORDS:
                    found = check_postconditions(*self._prepared(probe), [condition])
                    if found is not None:
                        return Run(Violated(condition, found["detail"]))
                elif not self._holds(condition, result, values):
                    return Run(Violated(condition, ""))
        except Unusable as error:
            return Run(NotRun(str(error)))
        return Run(Returned(""))

    def _prepared(self, probe):
        """Return the target as a guest has it, and the arguments of a probe."""
        name = probe.target.partition("::")[2]
        owner, _, method = name.rpartition(".")
        function = getattr(self.names[owner], method) if owner else self.names[name]
        parameters = [
            {
                "name": each.name,
                "kind": each.kind.name.lower(),
                "default": each.default is not each.empty,
            }
            for each in inspect.signature(function).parameters.values()
            if each.name != "self"
        ]
        prepared = PreparedTarget(
            root="/",
            path=PATH,
            name=name,
            function=lambda: function,
            parameters=parameters,
            points=[],
            recorder=None,
            sources={PATH: self.text},
            namespace=self.names,
            method=(lambda instance: getattr(instance, method)) if owner else None,
        )
        given = {n: {"kind": "made", "recipe": a.recipe} for n, a in probe.arguments.items()}
        return prepared, given

    def _holds(self, condition, result, values):
        def finite(value):
            return bool(torch.isfinite(torch.as_tensor(value)).all())

        return bool(eval(condition, {**self.names, **values, "result": result, "finite": finite}))


def _defaults(function):
    parameters = inspect.signature(function).parameters.items()
    return {name: each.default for name, each in parameters if each.default is not each.empty}


class TwoRevisions(IdleBench):
    """A bench with both revisions; nothing is explored."""

    def __init__(self, base, head, more=None):
        super().__init__({PATH: head, **(more or {})}, ExaminationPlan())
        self.before, self.after = Revision(base), Revision(head)

    def run(self, probes):
        return [self.after.run(each) for each in probes]

    def run_on_base(self, probes):
        return [self.before.run(each) for each in probes]

    def base(self, path):
        return (path, self.before.text) if path == PATH else None

    def remaining(self):
        return 1200.0


class NoBase(TwoRevisions):
    """A bench whose change has no base."""

    def __init__(self, head, more=None):
        super().__init__("", head, more)

    def run_on_base(self, probes):
        return [Run(NotRun("base has no such function"))] * len(probes)

    def base(self, path):
        return None


def target(function, line=1):
    return Target(PATH, function, line, line + 2, Reason.CHANGED, (), files=(PATH,))
