"""The analyzer at a bench that is written by hand: what it asks for, and what it tells."""

import json
from dataclasses import dataclass, field, replace

import pytest

from analyzers.criteria import DEATH
from analyzers.relations import table_folders
from analyzers.relations.relations_analyzer import SECONDS, RelationsAnalyzer
from analyzers.vocabulary import (
    ApiCall,
    Crashes,
    Died,
    Divergence,
    ExplorationResult,
    Finding,
    Level,
    LibraryBug,
    LibraryCall,
    Probe,
    Raised,
    ReachedDivergence,
    Reason,
    RecipeArgument,
    RecordedCalls,
    RelationResult,
    Returned,
    Run,
    Skipped,
    Suggestion,
    Target,
    TimedOut,
    Violated,
    Violates,
)
from tests.analyzers.benches import IdleBench

ANNOTATED = """import torch


#@arg(a): tensors(dtype="int64", shape="n")
#@arg(b): tensors(dtype="int64", shape="n")
def common(a, b):
    return torch.lcm(a, b)
"""
PLAIN = """import torch


def common(a: torch.Tensor, b: torch.Tensor):
    print(a.shape)
    return torch.lcm(a, b)
"""
SMALLEST = "torch.tensor([-9223372036854775808])"
CRASH = Divergence(
    "torch.lcm",
    "crash",
    "reference",
    "torch._refs.lcm(input, other)",
    f"torch.lcm({SMALLEST}, torch.tensor([5]))",
    "SIGFPE",
    SMALLEST,
)
VALUE = replace(CRASH, rule="value", outcome="tensor([1])")
CONDITION = "agrees('torch.lcm', 'reference', 'torch._refs.lcm(input, other)')"
PROBE = Probe(
    "net.py::common", {"a": RecipeArgument("tensor((1,), 'int64')"), "b": RecipeArgument("5")}, ()
)
AT = LibraryCall("torch.lcm", "net.py", 7, "common")
VERSION = "9.9.9+cpu"


@dataclass
class RelationBench(IdleBench):
    """A bench where calls were seen, and comparing comes to what it is told."""

    text: str = ANNOTATED
    explored: ExplorationResult = field(
        default_factory=lambda: ExplorationResult(9, 9, passing=(PROBE,))
    )
    recorded: RecordedCalls | None = field(
        default_factory=lambda: RecordedCalls("torch", VERSION, (AT,))
    )
    related: RelationResult = field(default_factory=RelationResult)
    before: str | None = None
    on_base: tuple[Run, ...] | None = None

    def __post_init__(self) -> None:
        super().__init__({"net.py": self.text})
        self.relatings: list = []
        self.recordings: list = []

    def explore(self, target, exploring):
        return self.explored

    def record(self, target, probes):
        self.recordings.append(tuple(probes))
        return self.recorded

    def relate(self, target, relating):
        self.relatings.append(relating)
        return self.related

    def base(self, path):
        return None if self.before is None else (path, self.before)

    def run_on_base(self, probes):
        return self.on_base


def examined(bench, *calls):
    made = Target("net.py", "common", 6, 7, Reason.CHANGED, tuple(calls), (), ("net.py",))
    return list(RelationsAnalyzer().examine(made, bench))


def reaching(divergence, ending, at=AT):
    return RelationResult(reached=(ReachedDivergence(divergence, at, PROBE, Run(ending)),))


@pytest.fixture
def shelf(tmp_path):
    """A table of a version that no library has."""

    def shelf(divergences=(), relations=(), apis=()):
        folder = tmp_path / "torch-9.9.9"
        folder.mkdir()
        rows = {"divergences": divergences, "relations": relations, "apis": apis}
        for name, lines in rows.items():
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"{name}.jsonl").write_text(text)
        table_folders.add(tmp_path)

    yield shelf
    table_folders.remove(tmp_path)


def row(divergence, judged="bug", note=""):
    names = ("api", "rule", "relation", "related", "call", "outcome", "expected")
    return {**{n: getattr(divergence, n) for n in names}, "judged": judged, "note": note}


def test_death_that_annotations_allow_is_a_failure():
    (found,) = examined(RelationBench(related=reaching(CRASH, Died(8))))
    assert (found.rule, found.level, found.line) == ("relation/crash", Level.FAILURE, 7)
    assert found.criterion == Crashes(DEATH, "", "")
    assert found.probes == (PROBE,)
    assert "ends the process with SIGFPE" in found.message
    assert f"torch {VERSION}" in found.message
    wanted = {"api", "related", "relation", "call", "library_version", "outcome", "expected"}
    assert wanted | {"arguments", "annotations", "known"} <= found.evidence.keys()
    assert found.evidence["annotations"]["a"]["given"] is True


def test_error_inside_the_library_is_recognised_by_itself():
    ending = Raised("RuntimeError", "INTERNAL ASSERT FAILED", "net.py", 7, "common")
    (found,) = examined(RelationBench(related=reaching(CRASH, ending)))
    assert found.criterion == Crashes("RuntimeError", "net.py", "common")
    assert "INTERNAL ASSERT FAILED" in found.message


def test_other_value_is_a_warning():
    (found,) = examined(RelationBench(related=reaching(VALUE, Violated(CONDITION, "1 is not 2"))))
    assert (found.rule, found.level) == ("relation/value", Level.WARNING)
    assert found.criterion == Violates(CONDITION)
    assert "`torch._refs.lcm(input, other)`" in found.message
    assert "no_reproducer" not in found.evidence


def test_title_says_what_is_wrong_with_a_value():
    other = replace(VALUE, outcome="tensor([0.])", expected="tensor([0.], dtype=torch.float64)")
    titles = [
        examined(RelationBench(related=reaching(each, Violated(CONDITION, ""))))[0].title
        for each in (VALUE, other)
    ]
    assert titles[0].endswith("gives a wrong result")
    assert titles[1].endswith("gives a result of another dtype")


def test_what_no_test_can_ask_says_so():
    told = replace(VALUE, rule="status", relation="documentation", related="the documentation")
    (found,) = examined(RelationBench(related=reaching(told, Violated("agrees('torch.lcm')", "1"))))
    assert found.rule == "relation/status"
    assert "documentation" in found.evidence["no_reproducer"]


def test_death_with_an_input_that_is_only_guessed_is_a_warning():
    at = replace(AT, line=6)
    (told,) = examined(RelationBench(text=PLAIN, related=reaching(CRASH, Died(8), at)))
    assert (told.rule, told.level) == ("relation/crash", Level.WARNING)
    assert "an annotation would tell" in told.evidence["doubt"]


def test_error_with_an_input_that_is_only_guessed_is_a_doubt():
    at = replace(AT, line=6)
    error = Raised("RuntimeError", "INTERNAL ASSERT FAILED", "net.py", 6, "common")
    (told,) = examined(RelationBench(text=PLAIN, related=reaching(CRASH, error, at)))
    assert isinstance(told, Skipped)
    assert "an annotation would tell" in told.reason


def test_other_value_with_an_input_that_is_only_guessed_goes_to_the_appendix():
    at = replace(AT, line=6)
    told = Violated(CONDITION, "1")
    (bug,) = examined(RelationBench(text=PLAIN, related=reaching(VALUE, told, at)))
    assert bug == LibraryBug("relations", "net.py::common", "net.py", 6, VALUE, VERSION)


@pytest.mark.parametrize(
    ("before", "level"),
    [
        (None, Level.WARNING),
        ((Run(Died(8)),), Level.WARNING),
        ((Run(Returned("1")),), Level.FAILURE),
    ],
)
def test_death_with_a_likely_input_is_a_failure_where_base_survives_it(before, level):
    text = PLAIN.replace("torch.Tensor", "int")
    bench = RelationBench(text=text, related=reaching(CRASH, Died(8), replace(AT, line=6)))
    bench.on_base = before
    assert [each.level for each in examined(bench)] == [level]


def test_run_that_shows_nothing_is_no_finding():
    assert examined(RelationBench(related=reaching(VALUE, Returned("1")))) == []


def test_call_that_does_not_come_back_is_a_doubt():
    hang = replace(CRASH, rule="status", relation="status", outcome="no result after 5 s")
    both = reaching(hang, TimedOut(10.0)).reached * 2
    (told,) = examined(RelationBench(related=RelationResult(reached=both)))
    assert told.reason == (
        "given `a = tensor((1,), 'int64')` and `b = 5`, `torch.lcm` at net.py:7 does not return "
        "within 10 s: it may hang, or have much to do"
    )


def test_one_call_is_told_of_once_and_of_its_gravest():
    both = reaching(VALUE, Violated(CONDITION, "1")).reached + reaching(CRASH, Died(8)).reached
    (found,) = examined(RelationBench(related=RelationResult(reached=both)))
    assert found.rule == "relation/crash"


def test_fingerprint_knows_neither_line_nor_oracle():
    other = replace(VALUE, relation="float64", related="the same call on float64")
    moved = RelationBench(text="\n" + ANNOTATED, related=reaching(other, Violated("x", ""), AT))
    one = examined(RelationBench(related=reaching(VALUE, Violated(CONDITION, ""))))[0]
    assert one.fingerprint == examined(moved)[0].fingerprint


def test_what_is_beyond_goes_to_the_appendix():
    (bug,) = examined(RelationBench(related=RelationResult(beyond=((CRASH, AT),))))
    assert bug == LibraryBug("relations", "net.py::common", "net.py", 7, CRASH, VERSION)


def test_appendix_tells_one_defect_once_by_its_shortest_call():
    longer = replace(CRASH, call=f"{CRASH.call}  # longer")
    values = [replace(VALUE, related=f"torch.other{n}(input, other)") for n in range(3)]
    there = replace(AT, line=6)
    beyond = ((longer, AT), (CRASH, there), *((value, AT) for value in values))
    found = examined(RelationBench(related=RelationResult(beyond=beyond)))
    assert [each.divergence for each in found] == [CRASH, values[0]]


def test_argument_that_the_code_does_not_pass_is_not_told_of(shelf):
    shelf([row(replace(CRASH, call="torch.lcm(1, 2, 3)"))])
    seen = replace(AT, source="torch.lcm(1, 2)")
    more = replace(VALUE, call="torch.lcm(1, 2, out=3)")
    bench = RelationBench(recorded=RecordedCalls("torch", VERSION, (seen,)))
    bench.related = RelationResult(beyond=((VALUE, AT), (more, AT)))
    assert [each.divergence for each in examined(bench)] == [VALUE]
    assert bench.relatings[0].known == ()


def test_word_that_the_file_does_not_have_is_not_passed_by_calls_that_nobody_saw(shelf):
    shelf([row(replace(CRASH, call="torch.lcm(1, 2, rounding_mode='trunc')"))])
    call = ApiCall("torch.lcm", "net.py", "common", 7)
    unseen = ExplorationResult(obstacle="it needs a server")
    assert examined(RelationBench(explored=unseen), call) == []
    written = RelationBench(text=ANNOTATED + "rounding_mode = None\n", explored=unseen)
    assert len(examined(written, call)) == 1


def test_known_bug_of_a_variant_is_not_told(shelf):
    variants = ("out", "vmap", "meta")
    shelf([row(replace(VALUE, relation=name, related=name)) for name in variants])
    assert examined(RelationBench()) == []


def test_what_another_form_is_known_for_is_tried_and_not_told(shelf):
    method = {"name": "torch.Tensor.lcm", "parameters": ["self", "other"], "calls": 3}
    equal = {"source": "torch.Tensor.lcm", "target": "torch.lcm", "inputs": 9, "holds": "value"}
    equal["template"] = "torch.lcm(self, other)"
    shelf([row(CRASH)], [equal], [{**method, "status": "covered"}])
    called = RecordedCalls("torch", VERSION, (replace(AT, api="torch.Tensor.lcm"),))
    bench = RelationBench(recorded=called)
    assert examined(bench) == []
    (known,) = bench.relatings[0].known
    assert known.call == f"torch.Tensor.lcm({SMALLEST}, torch.tensor([5]))"


def test_obstacle_is_a_reason():
    (told,) = examined(RelationBench(related=RelationResult(obstacle="the guest is gone")))
    assert told == Skipped("relations", "net.py::common", "the guest is gone")


def test_what_is_known_is_tried_first_and_told_with_its_note(shelf):
    shelf([row(CRASH, note="division by zero")])
    bench = RelationBench(related=reaching(CRASH, Died(8)))
    (found,) = examined(bench)
    assert [each.api for each in bench.relatings[0].known] == ["torch.lcm"]
    assert (found.evidence["known"], found.evidence["note"]) == (True, "division by zero")
    assert "division by zero" in found.message


def test_known_bug_that_no_input_reaches_is_told_once(shelf):
    shelf([row(CRASH)])
    (bug,) = {
        each.identity
        for each in examined(RelationBench(related=RelationResult(beyond=((CRASH, AT),))))
    }
    assert bug[1] == "torch.lcm"


def test_what_two_oracles_tell_of_an_api_is_one_entry():
    other = replace(VALUE, relation="float64", related="the same call on float64", call="short")
    (bug,) = examined(RelationBench(related=RelationResult(beyond=((VALUE, AT), (other, AT)))))
    assert bug.divergence == other


def test_what_a_finding_tells_of_an_api_is_not_told_again():
    other = replace(VALUE, relation="float64", related="the same call on float64")
    related = reaching(VALUE, Violated(CONDITION, "1"))
    (found,) = examined(RelationBench(related=replace(related, beyond=((other, AT),))))
    assert isinstance(found, Finding)


@pytest.mark.parametrize("judged", ["false", "documented", "numerics"])
def test_what_was_judged_to_be_no_bug_is_not_told(shelf, judged):
    shelf([row(VALUE, judged)])
    reached = reaching(VALUE, Violated(CONDITION, "1")).reached
    assert (
        examined(RelationBench(related=RelationResult(reached=reached, beyond=((VALUE, AT),))))
        == []
    )


def test_calls_that_can_be_read_stand_for_those_that_nobody_saw(shelf):
    shelf([row(CRASH)])
    bench = RelationBench(explored=ExplorationResult(obstacle="it needs a server"))
    (bug,) = examined(bench, ApiCall("torch.lcm", "net.py", "common", 7))
    assert (bug.path, bug.line, bug.divergence.api) == ("net.py", 7, "torch.lcm")
    assert bench.relatings == []


def test_function_that_nobody_can_call_is_joined_too(shelf):
    shelf([row(CRASH)])
    text = "import torch\n\n\ndef common(a, b):\n    return torch.lcm(a, b)\n"
    (bug,) = examined(RelationBench(text=text), ApiCall("torch.lcm", "net.py", "common", 5))
    assert isinstance(bug, LibraryBug)


def test_nothing_is_compared_where_no_library_is_called():
    bench = RelationBench(recorded=RecordedCalls("torch", VERSION))
    assert examined(bench) == []
    assert bench.relatings == []


def test_calls_in_changed_lines_come_first_and_others_places_are_left_out():
    calls = (
        LibraryCall("torch.add", "net.py", 1, "old"),
        LibraryCall("torch.lcm", "net.py", 7, "common"),
        LibraryCall("torch.relu", "elsewhere/torch/nn.py", 7, "relu"),
    )
    bench = RelationBench(recorded=RecordedCalls("torch", VERSION, calls), before="import torch\n")
    examined(bench)
    assert bench.relatings[0].apis == ("torch.lcm", "torch.add")


def test_comparing_leaves_time_to_confirm():
    bench = RelationBench()
    bench.remaining = lambda: 10.0
    examined(bench)
    assert bench.relatings[0].seconds == pytest.approx(6.0)
    other = RelationBench()
    examined(other)
    assert other.relatings[0].seconds == SECONDS


def test_code_that_asks_an_ml_api_is_left_to_another_analyzer():
    call = ApiCall("google.vision.label_detection", "net.py", "common", 7)
    bench = RelationBench(related=reaching(CRASH, Died(8)))
    assert examined(bench, call) == []


def test_guard_is_suggested():
    (found,) = examined(RelationBench(related=reaching(CRASH, Died(8))))
    guard = (
        "    if a.dtype == torch.int64 and (a == torch.iinfo(torch.int64).min).any():\n"
        '        raise ValueError("a holds the smallest int64, with which torch.lcm takes the'
        ' process down")\n'
        "    return torch.lcm(a, b)"
    )
    assert found.suggestion == Suggestion("net.py", 7, 7, guard)


def test_equivalent_call_comes_before_a_guard(shelf):
    api = {"name": "torch.lcm", "parameters": ["input", "other"], "calls": 3, "status": "covered"}
    shelf([], [], [api])
    told = replace(CRASH, relation="value", related="torch.special.lcm(input, other=other)")
    (found,) = examined(RelationBench(related=reaching(told, Died(8))))
    assert found.suggestion == Suggestion(
        "net.py", 7, 7, "    return torch.special.lcm(a, other=b)"
    )
