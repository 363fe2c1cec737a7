"""Library calls from the bench: seen, compared and reached in the real sandbox."""

import signal
import time
from contextlib import closing
from dataclasses import replace

import pytest

from analyzers.guest.inputs.recipes import parse
from analyzers.vocabulary import (
    Contract,
    Died,
    Divergence,
    Equivalence,
    LibraryCall,
    Probe,
    ReachedDivergence,
    RecipeArgument,
    RecordedCalls,
    RelationRequest,
    RelationResult,
    Returned,
    Run,
)
from tests.worker.sessions import laboratory, target, tree
from worker.executor.exploration_codec import agreement_condition
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.sandbox_executor import OUT_OF_TIME, SandboxExecutor

APP = """\
import torch
import torch.nn.functional as F


def common(x, y):
    return torch.lcm(x, y)


def loss(x, y):
    return F.huber_loss(x, y, reduction="none")


class Solver:
    def __init__(self, ridge):
        self.ridge = ridge

    def fit(self, x, y):
        return torch.linalg.lstsq(x + self.ridge, y).solution


def multiple(x, y):
    return x.lcm(y)


def clipped(x):
    return F.threshold(x, -8.5, 0.0)


def plain(n):
    return n + 1
"""


@pytest.fixture(scope="module")
def head(tmp_path_factory):
    return tree(tmp_path_factory.mktemp("project") / "head", app=APP)


@pytest.fixture
def bench(head, warm_place):
    made = []

    def bench(function):
        found = target(function=function)
        made.append(
            SandboxExecutor(laboratory(head, head, warm_place), found, time.monotonic() + 200)
        )
        return made[-1], found

    yield bench
    for each in made:
        each.close()


def probe(function, **recipes):
    return Probe(
        f"app.py::{function}", {name: RecipeArgument(r) for name, r in recipes.items()}, ()
    )


GOES_ON = "a result or an exception: the process goes on"
INTS = 'tensor((2,), dtype="int64", fill=6)'


@pytest.mark.slow
def test_calls_of_probes_are_recorded(bench):
    at, where = bench("common")
    recorded = at.record(where, [probe("common", x=INTS, y=INTS)])
    assert isinstance(recorded, RecordedCalls)
    assert (recorded.library, recorded.version.partition("+")[0].count(".")) == ("torch", 2)
    (call,) = recorded.calls
    assert (call.api, call.path, call.line, call.function) == ("torch.lcm", "app.py", 6, "common")
    assert call.source == "torch.lcm(torch.tensor([6, 6]), torch.tensor([6, 6]))"


def relating(function, arguments, recipes, **more):
    contract = Contract(arguments, more.pop("requires", ()))
    return RelationRequest((probe(function, **recipes),), contract, **{"seconds": 30.0, **more})


def test_calls_without_a_library_are_none(tmp_path):
    there = tree(tmp_path / "head", app="def plain(n):\n    return n + 1\n")
    where = target(function="plain")
    with closing(SandboxExecutor(laboratory(there, there), where, time.monotonic() + 200)) as at:
        assert at.record(where, [probe("plain", n="1")]) is None


@pytest.mark.slow
def test_version_is_told_without_probes(bench):
    at, where = bench("plain")
    recorded = at.record(where, ())
    assert (recorded.library, recorded.calls) == ("torch", ())


LEAST = -(2**63)
LCM = Divergence(
    "torch.lcm",
    "crash",
    "status",
    GOES_ON,
    f"torch.lcm(torch.tensor([{LEAST}]), torch.tensor([5]))",
    "SIGFPE",
    GOES_ON,
)


@pytest.mark.slow
def test_death_is_reached_by_the_smallest_arguments(bench):
    at, where = bench("common")
    loose = 'tensors(shape="n", dtype="int64")'
    given = relating("common", {"x": loose, "y": loose}, {"x": INTS, "y": INTS})
    related = at.relate(where, given)
    (reached,) = related.reached
    assert (related.beyond, related.obstacle) == ((), None)
    assert reached.run.ending == Died(signal.SIGFPE)
    assert (reached.divergence.rule, reached.divergence.outcome) == ("crash", "SIGFPE")
    assert (reached.at.api, reached.at.line, reached.at.function) == ("torch.lcm", 6, "common")
    x, y = (parse(argument.recipe) for argument in reached.probe.arguments.values())
    assert x.source() == f"tensor((1,), dtype='int64', fill={LEAST})"
    assert y.source().startswith("tensor((1,), dtype='int64', ")
    assert str(LEAST) in reached.divergence.call
    assert reached.probe.ensures == ()


@pytest.mark.slow
def test_what_the_contract_excludes_is_beyond(bench):
    at, where = bench("common")
    tight = 'tensors(shape="n", dtype="int64", min=0, max=100)'
    given = relating(
        "common",
        {"x": tight, "y": tight},
        {"x": INTS, "y": INTS},
        known=(LCM,),
        apis=("torch.lcm",),
    )
    related = at.relate(where, given)
    assert related.reached == ()
    divergence, call = related.beyond[0]
    assert (divergence.rule, divergence.outcome, call.line) == ("crash", "SIGFPE", 6)


@pytest.mark.slow
def test_values_that_disagree_are_reached_and_asked_again(bench):
    at, where = bench("loss")
    arguments = {n: f'tensors(shape="n", dtype="{d}")' for n, d in DTYPES.items()}
    recipes = {n: f'tensor((2,), dtype="{d}")' for n, d in DTYPES.items()}
    related = at.relate(where, relating("loss", arguments, recipes))
    (reached,) = related.reached
    assert reached.divergence.rule == "value"
    (condition,) = reached.probe.ensures
    assert condition == agreement_condition(reached.divergence)
    assert reached.run.ending.condition == condition
    assert "float64" in reached.run.ending.detail
    same = replace(reached.probe, arguments={n: RecipeArgument("tensor((1,))") for n in DTYPES})
    again, well = at.run([reached.probe, same])
    assert again.ending == reached.run.ending
    assert isinstance(well.ending, Returned)


DTYPES = {"x": "float32", "y": "float64"}
NO_ASSERTION = "an exception of its own, or a result: no internal assertion fails"
NAN = "torch.full((2, 2), nan)"
LSTSQ = Divergence(
    "torch.linalg.lstsq",
    "crash",
    "status",
    NO_ASSERTION,
    f"torch.linalg.lstsq({NAN}, {NAN})",
    "RuntimeError: false INTERNAL ASSERT FAILED",
    "an exception that says what is wrong with the arguments",
)


@pytest.mark.slow
def test_assertion_inside_the_library_is_reached_through_a_method(bench):
    at, where = bench("Solver.fit")
    square = "tensors(shape=(2, 2), finite=False)"
    made = {"self": "Solver(0.0)", "x": "tensor((2, 2), fill=1.0)", "y": "tensor((2, 2))"}
    contract = {"self": "froms([Solver(0.0)])", "x": square, "y": square}
    related = at.relate(where, relating("Solver.fit", contract, made, known=(LSTSQ,)))
    (reached,) = [each for each in related.reached if each.divergence.rule == "crash"]
    assert reached.run.ending.exception == "RuntimeError"
    assert "INTERNAL ASSERT FAILED" in reached.run.ending.message
    assert (reached.at.api, reached.at.function) == ("torch.linalg.lstsq", "Solver.fit")


@pytest.mark.slow
def test_what_a_function_is_known_for_is_reached_through_the_method_of_a_tensor(bench):
    at, where = bench("multiple")
    whole = 'tensors(shape="n", dtype="int64")'
    known = replace(
        LCM, api="torch.Tensor.lcm", call=LCM.call.replace("torch.", "torch.Tensor.", 1)
    )
    given = relating("multiple", {"x": whole, "y": whole}, {"x": INTS, "y": INTS}, known=(known,))
    (reached,) = at.relate(where, given).reached
    assert reached.run.ending == Died(signal.SIGFPE)
    assert reached.at.api == "torch.Tensor.lcm"


@pytest.mark.slow
def test_equal_call_that_differs_is_reached(bench):
    at, where = bench("clipped")
    equal = Equivalence(
        "torch.nn.functional.threshold",
        "torch.where",
        "torch.where(torch.gt(input, threshold), input, value)",
        "value",
    )
    whole = {"x": 'tensors(shape=(2,), dtype="int64", min=-20, max=0)'}
    given = relating("clipped", whole, {"x": INTS.replace("6", "-4")}, equivalences=(equal,))
    found = {each.divergence.relation: each for each in at.relate(where, given).reached}
    assert found["value"].probe.ensures == (agreement_condition(found["value"].divergence),)
    assert found["value"].divergence.related == equal.template


# ------------------------------------------------------------- fake guests

RELATING = RelationRequest((), Contract())


@pytest.fixture
def idle(tmp_path, sessions):
    head = tree(tmp_path / "head", app="def check(path):\n    return 'quiet'\n")
    made = SandboxExecutor(laboratory(head, head), target(), time.monotonic() + 60)
    yield made
    made.close()


def found(recipe, ending):
    argument = {"path": RecipeArgument(recipe)}
    at_call = LibraryCall("torch.lcm", "app.py", 1, "check")
    return ReachedDivergence(LCM, at_call, Probe("app.py::check", argument, ()), Run(ending))


def test_what_ends_otherwise_or_has_other_names_is_left_out(idle, sessions):
    returns, dies = found("'a'", Returned("'quiet'")), found("'a'", Died(8))
    foreign = found("os.system('id')", Returned("'quiet'"))
    sessions.related = RelationResult(reached=(returns, dies, foreign), executions=40)
    assert idle.relate(target(), RELATING).reached == (returns,)
    assert idle.tally().executions == 42


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("unloadable", TargetNotLoaded("it does not load")),
        ("unrelatable", GuestFailure("it broke\nwith a trace")),
    ],
)
def test_a_guest_that_breaks_is_an_obstacle(word, error, idle, sessions):
    sessions.trouble[word] = error
    assert idle.record(target(), ()) is None
    assert idle.relate(target(), RELATING).obstacle == str(error).partition("\n")[0]


def test_runs_that_break_leave_nothing_reached(idle, sessions):
    sessions.related = RelationResult(reached=(found("'a'", Died(8)),))
    sessions.trouble["unrunnable"] = GuestFailure("gone")
    assert idle.relate(target(), RELATING).reached == ()


def test_nothing_is_compared_without_time(tmp_path, sessions):
    head = tree(tmp_path / "late", app="")
    late = SandboxExecutor(laboratory(head, head), target(), time.monotonic() - 1)
    assert late.record(target(), ()) is None
    assert late.relate(target(), RELATING).obstacle == OUT_OF_TIME
    assert sessions.opened == []
