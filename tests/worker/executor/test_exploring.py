"""Valid inputs from the bench to a finding: fake guests, and the real one."""

import re
import time
from contextlib import closing
from dataclasses import replace

import pytest

from analyzers.criteria import DEATH
from analyzers.inference.function_contracts import function_contract
from analyzers.properties.properties_analyzer import PropertiesAnalyzer
from analyzers.properties.property_findings import failure_finding
from analyzers.rules import property_rules
from analyzers.vocabulary import (
    Contract,
    Crashes,
    Died,
    ExplorationRequest,
    ExplorationResult,
    Failure,
    Finding,
    Level,
    ObservedCall,
    Probe,
    Program,
    Raised,
    RecipeArgument,
    Run,
    Skipped,
    Status,
    Suggestion,
    Violated,
    Violates,
    Written,
)
from tests.analyzers import samples
from tests.worker.sessions import laboratory, target, tree
from worker.check.replay import ReplayOutcome, replay_report
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.sandbox_executor import OUT_OF_TIME, SandboxExecutor
from worker.report.property_reproducer import example_test
from worker.report.replay_file import read_replay, write_replay
from worker.settings.operator_settings import Settings

EXPLORING = ExplorationRequest(Contract({"x": "ints()"}), examples=5, seconds=50.0)
ALARM = """\
import os
import sys

def check(path):
    if "Fire" in labels():
        return "alarm"
    return "quiet"
"""


def probe(recipe, name="app.py::check", **more):
    return Probe(name, {"x": RecipeArgument(recipe)}, **more)


@pytest.fixture
def bench(tmp_path, sessions):
    texts = {"app": ALARM, "test_app": "import app\n"}
    head = tree(tmp_path / "head", **texts)
    made = SandboxExecutor(laboratory(head, head), target(), time.monotonic() + 20)
    yield made
    made.close()


def test_exploration_is_counted_and_run_again(bench, sessions):
    failure = Failure(probe("2"), Run(Died(11)))
    sessions.explored = ExplorationResult(
        executions=40, passed=30, failures=(failure,), passing=(probe("1"),)
    )
    assert bench.explore(target(), EXPLORING) == sessions.explored
    assert bench.tally().executions == 42
    assert [each for each, _ in bench.history] == [probe("1", script=()), probe("2", script=())]
    assert bench.coverage().answered == 42


def test_one_contract_is_explored_once(bench, sessions):
    sessions.explored = ExplorationResult(executions=40, passed=40)
    first = bench.explore(target(), EXPLORING)
    assert bench.explore(target(), replace(EXPLORING, seed=7)) is first
    assert bench.tally().executions == 40


def test_names_that_the_file_has_not_are_left_out(bench, sessions):
    failures = tuple(Failure(probe(r), Run(Died(11))) for r in ("os.system('id')", "check"))
    sessions.explored = ExplorationResult(failures=failures)
    explored = bench.explore(target(), EXPLORING)
    assert [each.probe for each in explored.failures] == [probe("check")]


def test_exploration_keeps_to_the_deadline(bench, sessions, monkeypatch):
    asked = []
    monkeypatch.setattr(
        sessions,
        "explore",
        lambda _, each: (asked.append(each), (ExplorationResult(), frozenset()))[1],
    )
    bench.explore(target(), EXPLORING)
    assert asked[0].seconds <= 20


def test_spent_time_explores_nothing(tmp_path, sessions):
    head = tree(tmp_path / "head", app=ALARM)
    bench = SandboxExecutor(laboratory(head, head), target(), time.monotonic() - 1)
    assert bench.explore(target(), EXPLORING).obstacle == OUT_OF_TIME
    assert bench.observe(target()) == ()
    assert sessions.opened == []


def test_broken_guest_is_started_afresh_once(bench, sessions):
    sessions.trouble["unexplorable"] = GuestFailure("broke off")
    with pytest.raises(GuestFailure):
        bench.explore(target(), EXPLORING)
    assert len(sessions.opened) == 2


def test_target_that_cannot_be_loaded_is_an_obstacle(bench, sessions):
    sessions.trouble["unloadable"] = TargetNotLoaded("no module named shop")
    assert bench.explore(target(), EXPLORING).obstacle == "no module named shop"
    assert bench.observe(target()) == ()


def test_calls_are_observed_in_tests(bench, sessions):
    call = ObservedCall("check", {"path": "strings()"}, "test_app.py::test_it")
    sessions.observed = (call, replace(call, function="other"))
    assert bench.observe(target()) == (call,)


def test_tests_run_once_for_all_functions_of_a_file(tmp_path, sessions):
    texts = {"app": ALARM + "\ndef other(): ...\n", "test_app": "import app\n"}
    head = tree(tmp_path / "head", **texts)
    calls = tuple(ObservedCall(name, {}, "test_app.py::test_it") for name in ("check", "other"))
    sessions.observed = calls
    shared = laboratory(head, head)
    for number, each in enumerate((target(), target(function="other"))):
        bench = SandboxExecutor(shared, each, time.monotonic() + 20)
        assert bench.observe(each) == (calls[number],)
        bench.close()
    assert len(sessions.opened) == 1


def test_broken_guest_observes_nothing(bench, sessions):
    sessions.trouble["unobservable"] = GuestFailure("broke off")
    assert bench.observe(target()) == ()


def test_project_without_tests_has_no_calls(tmp_path, sessions):
    head = tree(tmp_path / "head", app=ALARM)
    bench = SandboxExecutor(laboratory(head, head), target(), time.monotonic() + 20)
    assert bench.observe(target()) == ()
    assert sessions.opened == []


def test_examples_are_kept_for_the_target(bench):
    bench.keep(target(), [probe("1"), probe("os.system('id')")])
    assert bench.kept(target()) == (probe("1"),)
    assert bench.kept(target(function="other")) == ()


# ------------------------------------------------------------- the real guest

APP = """\
import os

import numpy


def pick(x, n, flat=True):
    if n < 0:
        raise ValueError("n must not be negative")
    return x.flatten()[n]


def double(x):
    x *= 2
    return x


def fall(n):
    if n > 3:
        os.kill(os.getpid(), 11)
    return n
"""
SAFE = APP.replace("x.flatten()[n]", "x.flatten()[n % x.size]").replace("n > 3", "n > 300")
SAFE = SAFE.replace("x *= 2", "x = x * 2")
PICK = Contract({"x": 'np_arrays(shape="a b", dtype="float32")', "n": "ints(min=0, max=20)"})


class ExplorationSetup:
    """A head and a base with one target, and what is done with them."""

    def __init__(self, folder, head, base, function):
        self.folder = folder
        self.target = target(function=function)
        shared = laboratory(tree(folder / "head", app=head), tree(folder / "base", app=base))
        self.laboratory = replace(shared, targets=(self.target,))
        self.before = BaseTarget(self.laboratory, self.target, ())
        self.bench = SandboxExecutor(
            self.laboratory, self.target, time.monotonic() + 300, self.before
        )
        self.confirmer = Confirmer(self.laboratory, self.target, self.before)

    def explored(self, contract):
        exploring = ExplorationRequest(contract, examples=60, seconds=20.0, timeout=20.0)
        return self.bench.explore(self.target, exploring)

    def confirmed(self, finding):
        return self.confirmer.confirmed(finding, self.bench.history)

    def close(self):
        for each in (self.bench, self.confirmer, self.before):
            each.close()


@pytest.fixture
def place(tmp_path):
    made = []

    def place(function, head=APP, base=SAFE):
        made.append(ExplorationSetup(tmp_path, head, base, function))
        return made[-1]

    yield place
    for each in made:
        each.close()


def found(failure, suggestion=None):
    ending = failure.run.ending
    name = failure.probe.target
    criterion = (
        Crashes(ending.exception, ending.path, ending.function)
        if isinstance(ending, Raised)
        else Crashes(DEATH, "", "")
        if isinstance(ending, Died)
        else Violates(ending.condition)
    )
    return samples.finding(
        analyzer="properties",
        rule="property/crash",
        symbol=name,
        target=name,
        title="a title",
        message="a message",
        probes=(failure.probe,),
        criterion=criterion,
        suggestion=suggestion,
    )


def replayed(finding, source, folder, monkeypatch):
    """What ``assayer replay`` says of a finding on code with this text."""
    code = folder / "code"
    code.mkdir(exist_ok=True)
    (code / "app.py").write_text(source)
    file = write_replay(finding, {}, folder)
    monkeypatch.setattr("worker.check.replay.replay_files", lambda _: [file])
    (found,) = replay_report(folder / "report.json", code, Settings(), trust=True)
    return found.outcome


CASES = [
    ("pick", PICK),
    ("double", Contract({"x": 'np_arrays(shape="a")'}, ensures=("unchanged(x)",))),
    ("fall", Contract({"n": "ints(min=0, max=9)"})),
]


@pytest.mark.slow
@pytest.mark.parametrize(("function", "contract"), CASES)
def test_failure_is_found_and_confirmed(function, contract, place, tmp_path):
    here = place(function)
    (failure,) = here.explored(contract).failures
    finding = here.confirmed(found(failure))
    assert (finding.status, finding.level) == (Status.NEW, Level.FAILURE)
    assert "base" not in finding.evidence
    back = read_replay(write_replay(finding, {}, tmp_path))
    assert back.probes[0].arguments == failure.probe.arguments
    assert (back.criterion, back.probes[0].ensures) == (finding.criterion, contract.ensures)


FLIP = """

def flip(x):
    return x.T
"""
SHAPED = 'np_arrays(shape="a b", dtype="float32")'


@pytest.mark.slow
def test_promise_on_sizes_of_the_arguments_is_asked_again(place, tmp_path, monkeypatch):
    safe = SAFE + FLIP.replace("x.T", "x[::-1]")
    here = place("flip", APP + FLIP, safe)
    condition = f"matches(result, {SHAPED!r})"
    (failure,) = here.explored(Contract({"x": SHAPED}, ensures=(condition,))).failures
    finding = here.confirmed(found(failure))
    assert (finding.status, finding.criterion) == (Status.NEW, Violates(condition))
    assert replayed(finding, APP + FLIP, tmp_path, monkeypatch) is ReplayOutcome.FAILED
    assert replayed(finding, safe, tmp_path, monkeypatch) is ReplayOutcome.FIXED
    text = example_test(finding, {"app.py": APP + FLIP}, "test_flip", ())
    assert "fits(before['x'], ('a', 'b'), None, sizes)" in text


DOUBLING = found(
    Failure(
        Probe(
            "app.py::double", {"x": RecipeArgument("array((1,), fill=1.0)")}, (), ("unchanged(x)",)
        ),
        Run(Violated("unchanged(x)", "x is 2")),
    )
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "outcome"), [(APP, ReplayOutcome.FAILED), (SAFE, ReplayOutcome.FIXED)]
)
def test_replay_asks_the_postcondition_again(source, outcome, tmp_path, monkeypatch):
    assert replayed(DOUBLING, source, tmp_path, monkeypatch) is outcome


@pytest.mark.slow
def test_failure_on_both_sides_exists(place):
    here = place("pick", APP, APP)
    (failure,) = here.explored(PICK).failures
    assert here.confirmed(found(failure)).status is Status.EXISTING


@pytest.mark.slow
def test_argument_that_base_had_not_is_left_out(place):
    old = APP.replace("n, flat=True", "n")
    here = place("pick", APP, old)
    contract = replace(PICK, arguments={**PICK.arguments, "flat": "bools()"})
    (failure,) = here.explored(contract).failures
    finding = here.confirmed(found(failure))
    assert (finding.status, "base" in finding.evidence) == (Status.EXISTING, False)


@pytest.mark.slow
def test_base_that_cannot_take_the_inputs_is_doubtful(place):
    old = APP.replace("def pick(x, n, flat=True):", "def pick(x):\n    n = 0")
    here = place("pick", APP, old)
    (failure,) = here.explored(PICK).failures
    finding = here.confirmed(found(failure))
    assert finding.level is Level.WARNING
    assert finding.evidence["base"] == "not comparable: `n` is no parameter there"
    assert here.bench.run_on_base([failure.probe]) is None


CROP = """\
def check(path): ...


#@arg(n): ints(min=1, max=9)
#@arg(step): {step}
def crop(n, step):
    return n // step
"""
OLD_CROP = "def check(path): ...\n\n\ndef crop(n):\n    return n // {}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "base", "level"),
    [
        (CROP.format(step="ints(min=0, max=9)"), OLD_CROP.format(2), Level.FAILURE),
        (CROP.format(step="ints(min=0, max=9)"), OLD_CROP.format("step"), Level.WARNING),
    ],
)
def test_failure_of_a_new_parameter_blocks_on_a_new_line(place, text, base, level):
    here = place("crop", text, base)
    terms = function_contract(here.target, here.bench)
    (failure,) = here.explored(terms.contract).failures
    told = failure_finding(failure, terms, ExplorationResult(), here.target, here.bench)
    confirmed = here.confirmed(told)
    assert (confirmed.rule, confirmed.line, confirmed.level) == ("property/crash", 7, level)
    assert confirmed.evidence["stated"] is True


@pytest.mark.slow
def test_suggestion_that_helps_is_verified(place):
    change = Suggestion("app.py", 9, 9, "    return x.flatten()[n % x.size]")
    here = place("pick")
    (failure,) = here.explored(PICK).failures
    assert here.confirmed(found(failure, suggestion=change)).suggestion.verified


@pytest.mark.slow
def test_suggestion_that_breaks_what_passed_is_not(place):
    change = Suggestion("app.py", 9, 9, "    return x.flatten()[n:].max(), x[99]")
    here = place("pick")
    (failure,) = here.explored(PICK).failures
    assert here.confirmed(found(failure, suggestion=change)).suggestion is None


# ------------------------------------------------------------ what is written

OLD_NAMES = "import os\n\ndef check(path):\n    return os . getcwdu ( )  # moved\n"


def written(**changes):
    criterion = Written("app.py", "os.getcwdu()")
    said = {"title": "a title", "message": "a message", "evidence": {"name": "os.getcwdu"}}
    facts = {"analyzer": "properties", "rule": "code/error", "probes": (), **said}
    return samples.finding(criterion=criterion, **{**facts, **changes})


@pytest.mark.parametrize(
    ("base", "status"),
    [
        ("def check(path): ...\n", Status.NEW),
        (OLD_NAMES.replace(" . ", "."), Status.EXISTING),
        ("# os.getcwdu()\ndef check(path):\n    return 'os.getcwdu()'\n", Status.NEW),
    ],
)
def test_what_is_written_stands_by_its_text(base, status, place, sessions):
    here = place("check", OLD_NAMES, base)
    assert here.confirmed(written()).status is status
    assert sessions.opened == []


def test_what_is_written_nowhere_is_no_finding(place, sessions):
    here = place("check", "def check(path): ...\n", OLD_NAMES)
    assert isinstance(here.confirmed(written()), Skipped)


@pytest.mark.parametrize(
    ("line", "verified"), [("    return os.getcwd()", True), ("    return [os.getcwdu()]", False)]
)
def test_suggestion_against_what_is_written_is_tried(line, verified, place, sessions):
    here = place("check", OLD_NAMES, "")
    standing = here.confirmed(written(suggestion=Suggestion("app.py", 4, 4, line)))
    assert (standing.suggestion is not None) is verified


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        (OLD_NAMES, ReplayOutcome.FAILED),
        (OLD_NAMES.replace("getcwdu", "getcwd"), ReplayOutcome.FIXED),
    ],
)
def test_replay_of_what_is_written_reads_it(source, outcome, tmp_path, monkeypatch):
    assert replayed(written(), source, tmp_path, monkeypatch) is outcome


EXAMPLES = [
    (rule, expected, example)
    for rule in property_rules.RULES
    for expected, examples in ((True, rule.failing), (False, rule.passing))
    for example in examples
]


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """Head and base with a file for each example."""
    folder = tmp_path_factory.mktemp("examples")
    head = {f"example_{n}": example.code for n, (*_, example) in enumerate(EXAMPLES)}
    base = {f"example_{n}": example.base or "" for n, (*_, example) in enumerate(EXAMPLES)}
    return tree(folder / "head", **head), tree(folder / "base", **base)


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", range(len(EXAMPLES)), ids=[f"{rule.id}-{expected}" for rule, expected, _ in EXAMPLES]
)
def test_example_is_reported_as_its_rule_says(number, examples, warm_place):
    rule, expected, example = EXAMPLES[number]
    (function,) = re.findall(r"^def (\w+)", example.code, re.MULTILINE)
    where = replace(target(f"example_{number}.py", function), calls=())
    made = replace(laboratory(*examples, warm_place), targets=(where,))
    before = BaseTarget(made, where, ())
    bench = SandboxExecutor(made, where, time.monotonic() + 300, before)
    with closing(before), closing(bench):
        verdicts = list(PropertiesAnalyzer().examine(where, bench))
    reported = [each.rule for each in verdicts if isinstance(each, Finding)]
    assert reported == [rule.id] * expected


def test_calls_of_programs_are_observed_on_base_and_of_new_functions_on_head(tmp_path):
    text = "def check(n):\n    return inner(n)\n\n\ndef inner(n, m=2):\n    return n * m\n"
    head = text + "\n\ndef fresh(n):\n    return inner(n, 3)\n"
    trees = [tree(tmp_path / name, app=app) for name, app in (("head", head), ("base", text))]
    targets = (target(), target(function="inner"), target(function="fresh"))
    made = replace(laboratory(*trees), targets=targets)
    before = BaseTarget(made, target(), ())
    bench = SandboxExecutor(made, target(), time.monotonic() + 300, before)
    calls = "check(3)\ncheck(3)\ncheck('a')"
    asked, newer = (
        Probe("app.py::check", {}, (), observed=True, program=Program(source, "README.md:4"))
        for source in (f"from app import check\n{calls}", "from app import fresh\nfresh(5)")
    )
    try:
        assert len(bench.run_programs([asked, asked, newer], 20.0)) == 3
        calls = [bench.observe(each, runs_tests=False) for each in targets]
    finally:
        bench.close()
        before.close()
    place = "README.md:4"
    plain = [ObservedCall("check", {"n": f"froms([{each!r}])"}, place) for each in (3, "a")]
    given = [{"n": f"froms([{each!r}])", "m": "froms([2])"} for each in (3, "a")]
    fresh = [ObservedCall("fresh", {"n": "froms([5])"}, place)]
    assert calls == [plain, [ObservedCall("inner", each, place) for each in given], fresh]
