"""How verdicts are gathered, and what they come to."""

from dataclasses import replace

import pytest

from analyzers.coverage import conclude
from analyzers.criteria import DEATH
from analyzers.pipeline import (
    ANALYZERS,
    _on_real_libraries,
    analyzers_named,
    concerned_targets,
    examine,
    explains,
    share_of,
    without_duplicates,
)
from analyzers.vocabulary import (
    ANALYZER_NAMES,
    ApiCall,
    Broken,
    Conclusion,
    Crashes,
    Level,
    Skipped,
    Status,
    Tested,
    Violates,
    Written,
)
from tests.analyzers.benches import IdleBench
from tests.analyzers.samples import finding, target

LABELS = "google.vision.label_detection"


class SkippingAnalyzer:
    name = "speaking"

    def examine(self, target, bench):
        yield Skipped(self.name, target.id, "why")


class Failing:
    name = "failing"

    def examine(self, target, bench):
        yield Skipped(self.name, target.id, "before")
        raise ValueError("our own mistake")


def test_vocabulary_names_every_analyzer():
    assert tuple(analyzer.name for analyzer in ANALYZERS) == ANALYZER_NAMES


def test_analyzers_with_work_have_the_time_and_the_last_has_all():
    deep = replace(target(), calls=(ApiCall("torch.stack", "app.py", "check", 2),))
    asking = replace(target(), calls=(ApiCall(LABELS, "app.py", "check", 2),))
    bench = IdleBench()
    list(examine([SkippingAnalyzer()], deep, bench))
    assert bench.allotted == [1.0, 1.0]
    shares = [share_of(each, ANALYZERS[n + 1 :], deep) for n, each in enumerate(ANALYZERS)]
    assert shares[0] < 0.05
    assert 0.2 < shares[1] < 0.5
    assert shares[-1] == 1.0
    assert share_of(ANALYZERS[1], ANALYZERS[2:], deep, compared=True) > 0.5
    assert share_of(ANALYZERS[0], ANALYZERS[1:], asking) > 0.6


def test_verdicts_stream_out_as_they_come():
    stream = examine([SkippingAnalyzer(), Failing()], target(), IdleBench())
    assert next(stream) == Skipped("speaking", "app.py::check", "why")


def test_our_own_failure_is_broken_and_ends_one_look():
    verdicts = list(examine([Failing(), SkippingAnalyzer()], target(), IdleBench()))
    assert [type(verdict) for verdict in verdicts] == [Skipped, Broken, Skipped]
    assert "test_pipeline.py" in verdicts[1].error
    assert "our own mistake" in verdicts[1].error


class Lacking(IdleBench):
    """A bench without torch, of which some runs of ``analyzed`` analyzers tell."""

    def __init__(self, analyzed=0):
        super().__init__()
        self._analyzed = analyzed

    def obstacle(self, target):
        self._analyzed -= 1
        lost = self._analyzed < 0
        return Skipped("environments", target.id, "no torch", our_fault=True) if lost else None


class Finding:
    def __init__(self, name):
        self.name = name

    def examine(self, target, bench):
        yield finding(analyzer=self.name)
        bench.replaced = ("torch",)
        yield finding(analyzer=self.name, rule="property/crash")


def test_target_without_its_framework_is_not_examined():
    (only,) = examine([SkippingAnalyzer()], target(), Lacking())
    assert only.reason == "no torch"


def test_framework_missed_while_running_is_told():
    *_, last = examine([SkippingAnalyzer()], target(), Lacking(1))
    assert last.our_fault


def test_finding_seen_on_a_stand_in_is_not_reported():
    first, second = examine([Finding("properties")], target(), IdleBench())
    assert first == finding(analyzer="properties")
    assert second.reason.startswith("property/crash at ")
    assert "seen on a stand-in for torch" in second.reason


def test_cloud_findings_stand_beside_stand_ins():
    asking = replace(finding(), analyzer="cloud")
    (analyzer,) = analyzers_named(["cloud"])
    bench = IdleBench()
    bench.replaced = ("streamlit",)
    assert _on_real_libraries(analyzer, asking, bench) == asking


def test_analyzers_are_chosen_by_name():
    assert analyzers_named(()) == ANALYZERS
    assert [analyzer.name for analyzer in analyzers_named(["cloud"])] == ["cloud"]
    with pytest.raises(KeyError, match="nothing"):
        analyzers_named(["nothing"])


SKIPPED = Skipped("cloud", "app.py::check", "no engine")
BROKEN = Broken("cloud", "app.py::check", "error")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], Conclusion.SUCCESS),
        ([SKIPPED], Conclusion.SUCCESS),
        ([finding()], Conclusion.FAILURE),
        ([finding(), BROKEN], Conclusion.FAILURE),
        ([finding(status=Status.EXISTING)], Conclusion.SUCCESS),
        ([finding(status=Status.FIXED)], Conclusion.SUCCESS),
        ([finding(status=Status.FLAKY)], Conclusion.SUCCESS),
        ([finding(level=Level.WARNING)], Conclusion.NEUTRAL),
        ([finding(level=Level.NOTICE)], Conclusion.SUCCESS),
        ([finding(level=Level.NOTICE), finding(level=Level.WARNING)], Conclusion.NEUTRAL),
        ([BROKEN], Conclusion.ERROR),
        ([finding(level=Level.WARNING), BROKEN], Conclusion.ERROR),
        ([Skipped("cloud", "", "no isolation", our_fault=True)], Conclusion.ERROR),
    ],
)
def test_conclusion_of_tested_targets(verdicts, expected):
    assert conclude(verdicts, tested=[Tested.YES]) is expected


def test_gate_may_be_neutral():
    assert conclude([finding()], tested=[Tested.YES], gate=Conclusion.NEUTRAL) is Conclusion.NEUTRAL


def test_ignored_finding_blocks_nothing():
    ignored = [finding().fingerprint]
    assert conclude([finding()], tested=[Tested.YES], ignored=ignored) is Conclusion.SUCCESS


def test_nothing_tested_is_neutral_not_success():
    assert conclude([SKIPPED], tested=[Tested.NO]) is Conclusion.NEUTRAL


def test_no_ml_code_is_skipped():
    assert conclude([], tested=[]) is Conclusion.SKIPPED


def test_unreadable_change_is_not_called_skipped():
    assert conclude([SKIPPED], tested=[]) is Conclusion.NEUTRAL


@pytest.mark.parametrize("answer", [Tested.PARTLY, Tested.NO])
def test_one_target_left_untested_is_neutral(answer):
    assert conclude([], tested=[Tested.YES, answer]) is Conclusion.NEUTRAL


def test_interrupted_run_is_never_success():
    assert conclude([], tested=[Tested.YES], partial=True) is Conclusion.NEUTRAL


TEXT = "a = b[0]\nc = d[0]\nc = d[0]\n"


def test_crashes_of_one_function_have_fingerprints_of_their_own():
    crashes = [finding(line=line) for line in (3, 1, 2)]
    told = without_duplicates(crashes, {"app.py": TEXT})
    assert [each.line for each in told] == [3, 1, 2]
    assert len({each.fingerprint for each in told}) == 3
    assert told[1].fingerprint == finding().fingerprint
    shifted = without_duplicates(
        [finding(line=line + 1) for line in (3, 1, 2)], {"app.py": f"\n{TEXT}"}
    )
    assert [each.fingerprint for each in shifted] == [each.fingerprint for each in told]


def test_new_crash_never_takes_an_existing_ones_fingerprint():
    crashes = finding(line=1), finding(line=2, status=Status.EXISTING)
    new, existing = without_duplicates(crashes, {"app.py": TEXT})
    assert existing.fingerprint == finding().fingerprint != new.fingerprint


def test_targets_without_cloud_calls_are_nothing_to_the_cloud_analyzer():
    asking = replace(target(), calls=(ApiCall("google.vision.label_detection", "a.py", "f", 1),))
    using = replace(target(), calls=(ApiCall("torch.relu", "a.py", "f", 1),))
    assert concerned_targets(analyzers_named(["cloud"]), (asking, using)) == (asking,)
    assert concerned_targets([SkippingAnalyzer()], (asking, using)) == (asking, using)
    assert list(analyzers_named(["cloud"])[0].examine(using, None)) == []


LIBRARY = {"rule": "relation/crash", "criterion": Crashes(DEATH, "", "")}
FUNCTION = {"rule": "property/crash", "criterion": Crashes(DEATH, "", "")}
INTERNAL = Crashes("RuntimeError", "app.py", "check")


STATE = {
    "rule": "assembly/state",
    "target": "app.py::Net.__init__",
    "evidence": {
        "consequence": "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x8 and 7x1)"
    },
    "criterion": Violates("finite(result(x))"),
}
CRASH = {
    "rule": "property/crash",
    "target": "app.py::Net.forward",
    "evidence": {"message": "mat1 and mat2 shapes cannot be multiplied (4x9 and 7x1)"},
    "criterion": Crashes("RuntimeError", "app.py", "Net.forward"),
}
TRAINS = {"rule": "assembly/state", "criterion": Violates("trains(5)")}
MADE = {"target": "app.py::Net.__init__", **TRAINS, "criterion": Violates("trains(5, inputs='')")}
CALLED = {"target": "app.py::Net.forward", **TRAINS}


@pytest.mark.parametrize(
    ("special", "general", "expected"),
    [
        (CRASH, STATE, True),
        (CRASH | {"target": "app.py::Other.forward"}, STATE, False),
        (CRASH | {"target": "app.py::Net.reset"}, STATE, False),
        (
            CRASH | {"evidence": {"message": "shapes cannot be multiplied (4x9 and 6x1)"}},
            STATE,
            False,
        ),
        (CRASH | {"evidence": {"message": "no"}}, STATE, False),
        (CRASH | {"criterion": Crashes("KeyError", "app.py", "Net.forward")}, STATE, False),
        (CRASH | {"criterion": Violates("trains(5)")}, STATE, False),
        (CRASH, STATE | {"rule": "assembly/unchecked-boundary"}, False),
        (CALLED, MADE, True),
        (CALLED | {"criterion": Violates("settles(50)")}, MADE, False),
        (CALLED, STATE, False),
        (CALLED | {"criterion": Violates("finite(result)")}, STATE, False),
    ],
)
def test_call_of_a_model_explains_what_its_constructor_is_told_of(special, general, expected):
    one, other = finding(**special), finding(**general)
    assert explains(one, other) is expected
    assert not explains(other, one)


@pytest.mark.parametrize(
    ("general", "expected"),
    [
        ({}, True),
        ({"evidence": {"cause": ["other.py"]}}, False),
        ({"evidence": {}}, False),
        ({"rule": "code/error"}, False),
    ],
)
def test_what_one_change_makes_raise_elsewhere_is_told_once(general, expected):
    crash = {"rule": "property/crash", "evidence": {"cause": ["app.py"]}}
    one = finding(**crash, target="app.py::a", line=7)
    other = finding(**{**crash, "target": "app.py::b", "line": 9, **general})
    assert explains(one, other) is expected
    assert not explains(other, one)


@pytest.mark.parametrize("rule", ["relation/crash", "property/crash"])
@pytest.mark.parametrize(("line", "expected"), [(7, True), (8, False)])
def test_crash_explains_an_error_of_the_code_at_its_line(rule, line, expected):
    crash = {"criterion": Crashes("KeyError", "app.py", "f"), "line": 7}
    special = finding(**crash, rule=rule)
    general = finding(**{**crash, "line": line}, rule="code/error")
    assert explains(special, general) is expected
    assert not explains(general, special)


@pytest.mark.parametrize(
    ("special", "general", "expected"),
    [
        ({}, {}, True),
        ({}, {"line": 1}, True),
        ({}, {"target": "app.py::other"}, False),
        ({}, {"criterion": INTERNAL}, False),
        ({}, {"rule": "property/postcondition"}, False),
        ({"rule": "relation/value"}, {}, False),
        ({"criterion": INTERNAL}, {"criterion": INTERNAL}, True),
        ({"criterion": INTERNAL}, {"criterion": INTERNAL, "line": 1}, False),
    ],
)
def test_crash_of_a_library_explains_that_of_the_function_around_it(special, general, expected):
    one, other = finding(**(LIBRARY | special)), finding(**(FUNCTION | general))
    assert explains(one, other) is expected
    assert not explains(other, one)


@pytest.mark.parametrize(("line", "expected"), [(7, True), (8, False)])
def test_run_explains_what_was_read_at_its_line(line, expected):
    ran = finding(criterion=Crashes("UnboundLocalError", "app.py", "f"), line=7, rule="cloud/crash")
    written = finding(criterion=Written("app.py", "x"), line=line, rule="code/error")
    assert explains(ran, written) is expected
    assert not explains(written, ran)


def test_text_is_read_before_an_obstacle_ends_the_look():
    class Reading(Lacking):
        def source(self, path):
            return (
                "def check(path):\n    while True:\n        try:\n"
                "            return client.label_detection(image=path)\n"
                "        except Exception:\n            pass\n"
            )

        def paths(self):
            return ("app.py",)

    (cloud,) = analyzers_named(["cloud"])
    asking = replace(target(), calls=(ApiCall("google.vision.label_detection", "app.py", "f", 4),))
    read, obstacle = examine([cloud], asking, Reading())
    assert (read.rule, read.line) == ("cloud/misuse", 2)
    assert obstacle.reason == "no torch"


@pytest.mark.parametrize(("line", "expected"), [(7, True), (8, False)])
def test_crash_on_an_answer_explains_the_error_of_its_caller(line, expected):
    crash = {"criterion": Crashes("IndexError", "app.py", "f"), "line": 7}
    special = finding(**crash, rule="cloud/crash")
    general = finding(**{**crash, "line": line}, rule="code/error", target="app.py::main")
    assert explains(special, general) is expected
    assert not explains(general, special)


def test_change_of_a_method_is_told_of_one_of_its_subclasses():
    first, second = (
        finding(rule="behaviour/changed", target=f"net.py::{name}.forward", line=3)
        for name in ("Far", "Near")
    )
    assert explains(first, second)
    assert not explains(second, first)
    assert not explains(first, replace(second, line=4))
