"""The analyzer at a bench that is written by hand: what it asks for, and what it tells."""

from dataclasses import dataclass, field, replace

from analyzers.criteria import DEATH
from analyzers.properties.properties_analyzer import PropertiesAnalyzer
from analyzers.vocabulary import (
    ApiCall,
    Died,
    ErrorOrigin,
    ExplorationRequest,
    ExplorationResult,
    Failure,
    Finding,
    Level,
    Probe,
    Raised,
    Reason,
    RecipeArgument,
    Returned,
    Run,
    RunOutcome,
    Skipped,
    Target,
    Violated,
    Violates,
    Written,
)
from tests.analyzers.benches import IdleBench

ANNOTATED = """import torch


#@arg(x): tensors(dtype="float32", shape="b 3")
#@arg(n): ints(min=1, max=5)
#@require(n < 5)
#@ensure(finite(result))
#@timeout(2)
def pooled(x, n, mode="mean"):
    return torch.zeros(n / 2)
"""
PLAIN = """import torch


def pooled(x, n):
    if n < 1:
        raise ValueError("n must be positive")
    return torch.zeros(n / 2)


pooled(torch.randn(2, 3), 4)
"""
CRASH = Raised("TypeError", "'float' object", "net.py", 10, "pooled")


@dataclass
class Explorer(IdleBench):
    """A bench where exploring comes to what it is told to come to."""

    source_text: str = ANNOTATED
    explored: ExplorationResult = field(default_factory=ExplorationResult)
    on_base: RunOutcome | None = None
    ending: RunOutcome = field(default_factory=lambda: Returned(""))
    made: list[Probe] = field(default_factory=list)
    asked: list[ExplorationRequest] = field(default_factory=list)

    def __post_init__(self):
        super().__init__({"net.py": self.source_text})

    def explore(self, target, exploring):
        self.asked.append(exploring)
        return self.explored

    def run(self, probes):
        self.made += probes
        return [Run(self.ending) for _ in probes]

    def run_on_base(self, probes):
        return None if self.on_base is None else [Run(self.on_base)] * len(probes)

    def remaining(self):
        return 60.0


def target(function="pooled", api="torch.zeros"):
    calls = (ApiCall(api, "net.py", function, 10),) if api else ()
    return Target("net.py", function, 9, 10, Reason.CHANGED, calls, files=("net.py",))


def failure(ending=CRASH, matters=("n",), seen=7, n="3"):
    probe = Probe("net.py::pooled", {"x": RecipeArgument("tensor((1, 3))"), "n": RecipeArgument(n)})
    return Failure(probe, Run(ending), matters, seen)


def explored(*failures, **more):
    return ExplorationResult(executions=100, passed=90, failures=failures, **more)


def verdicts(bench, **more):
    return list(PropertiesAnalyzer().examine(target(**more), bench))


def test_annotations_are_what_is_explored():
    bench = Explorer()
    assert verdicts(bench) == []
    (asked,) = bench.asked
    assert asked.contract.arguments == {
        "x": 'tensors(dtype="float32", shape="b 3")',
        "n": "ints(min=1, max=5)",
    }
    assert asked.contract.requires == ("n < 5",)
    assert asked.contract.ensures == ("finite(result)",)
    assert asked.timeout == 2.0


def test_crash_on_given_inputs_is_a_failure_and_is_kept():
    bench = Explorer(explored=explored(failure()))
    (finding,) = verdicts(bench)
    assert isinstance(finding, Finding)
    assert (finding.rule, finding.level, finding.line) == ("property/crash", Level.FAILURE, 10)
    assert finding.evidence["exception"] == "TypeError"
    assert finding.evidence["raised_at"] == "net.py:10"
    assert finding.evidence["arguments"] == {"x": "tensor((1, 3))", "n": "3"}
    assert bench.lasting == [failure().probe]


def test_what_failed_before_is_tried_first():
    bench = Explorer()
    bench.lasting.append(failure().probe)
    verdicts(bench)
    assert bench.asked[0].first == (failure().probe.arguments,)


def test_refusals_and_what_the_sandbox_lacks_are_no_crash():
    refused = Raised("ValueError", "no", "net.py", 10, "pooled", refusal=True)
    offline = Raised("ConnectionError", "no", "net.py", 10, "pooled")
    found = verdicts(Explorer(explored=explored(failure(refused), failure(offline))))
    assert not [each for each in found if isinstance(each, Finding)]


def test_broken_postcondition_is_a_finding_of_its_own():
    ending = Violated("finite(result)", "result holds nan")
    (finding,) = verdicts(Explorer(explored=explored(failure(ending))))
    assert finding.rule == "property/postcondition"
    assert finding.criterion == Violates("finite(result)")


def test_death_of_the_process_is_a_crash():
    (finding,) = verdicts(Explorer(explored=explored(failure(Died(11)))))
    assert finding.rule == "property/crash"
    assert "process" in finding.title


def test_death_with_an_input_that_is_only_inferred_is_a_warning():
    few = explored(failure(Died(11)))
    text = PLAIN.replace("pooled(torch.randn(2, 3), 4)", "")
    (finding,) = verdicts(Explorer(source_text=text, explored=few))
    assert (finding.rule, finding.level) == ("property/crash", Level.WARNING)
    assert finding.evidence["doubt"]


def test_death_is_told_where_the_change_removed_the_guard_against_it():
    refused = replace(CRASH, exception="ValueError", refusal=True)
    bench = Explorer(source_text=PLAIN, explored=explored(failure(Died(11))), on_base=refused)
    (finding,) = verdicts(bench)
    assert (finding.rule, finding.evidence["exception"]) == ("property/crash", DEATH)


def test_crash_between_the_numbers_that_calls_give_gates_nothing():
    text = PLAIN.replace("2, 3), 4)", "1, 3), 16)\npooled(torch.randn(1, 3), 32)")
    (finding,) = verdicts(Explorer(source_text=text, explored=explored(failure(n="17"))))
    assert finding.level is Level.WARNING
    assert "`n = 17`" in finding.evidence["doubt"]
    taken = Explorer(source_text=text, explored=explored(failure(n="17")), on_base=Returned(""))
    (finding,) = verdicts(taken)
    assert finding.level is Level.FAILURE


def test_one_line_is_told_once():
    other = Raised("RuntimeError", "size", "net.py", 10, "pooled")
    found = verdicts(Explorer(explored=explored(failure(other, seen=2), failure(seen=9))))
    assert [finding.evidence["exception"] for finding in found] == ["TypeError"]


def test_wrong_annotation_is_told_and_nothing_is_run():
    bench = Explorer(source_text=ANNOTATED.replace("ints(min=1", "intz(min=1"))
    (finding,) = verdicts(bench)
    assert (finding.rule, finding.level, finding.line) == (
        "property/invalid-annotation", Level.WARNING, 5,
    )  # fmt: skip
    assert finding.criterion == Written("net.py", "#@arg(n): intz(min=1, max=5)")
    assert bench.asked == []


ROTATED = """from typing import Literal

import torch


class Net(torch.nn.Module):
    def __init__(self, dim: int, mode: Literal["sum", "mean"] = "sum", size=3):
        super().__init__()
        self.dim = dim

    def forward(self, x, length: int | None = None, offset=0):
        return x[offset:length]


net = Net(8)
net(torch.randn(6, 8), 6, offset=7)
net(torch.randn(1, 8), 1, offset=7)
"""


def test_defaults_listed_values_and_shared_sizes_are_drawn():
    bench = Explorer(source_text=ROTATED)
    list(PropertiesAnalyzer().examine(replace(target(), function="Net.forward"), bench))
    contract = bench.asked[0].contract
    assert contract.arguments["offset"] == "froms([7, 0])"
    assert "length is None or x.shape[0] == length" in contract.requires
    assert contract.constructor.arguments.keys() == {"dim", "mode"}
    assert contract.constructor.arguments["mode"] == 'froms(["sum", "mean"])'


def test_constructor_of_an_abstract_class_is_not_called():
    mark = "    @abstractmethod\n    def rest(self): ...\n\n"
    text = ROTATED.replace("    def forward", mark + "    def forward")
    bench = Explorer(source_text=text)
    examined = PropertiesAnalyzer().examine(replace(target(), function="Net.__init__"), bench)
    assert "abstract" in " ".join(each.reason for each in examined)
    assert bench.asked == []


def test_annotation_that_nothing_meets_is_told():
    unmet = ("@require(n < 5)", "none of 200 inputs meets it")
    (finding,) = verdicts(Explorer(explored=explored(unmet=unmet)))
    assert finding.rule == "property/invalid-annotation"
    assert finding.line == 6


def test_crash_on_inferred_inputs_needs_evidence():
    few = ExplorationResult(executions=100, passed=0, failures=(failure(matters=("x",)),))
    (told,) = verdicts(
        Explorer(source_text=PLAIN.replace("pooled(torch.randn(2, 3), 4)", ""), explored=few)
    )
    assert isinstance(told, Skipped)
    assert "nothing says" in told.reason or "only inferred" in told.reason


def test_name_that_is_not_there_is_told_however_valid_the_input():
    ending = Raised(
        "AttributeError", "module 'torch' has no attribute 'zeroes'", "net.py", 7, "pooled"
    )
    alone = ExplorationResult(executions=100, passed=0, failures=(failure(ending, matters=()),))
    (finding,) = verdicts(Explorer(source_text=PLAIN, explored=alone))
    assert finding.rule == "property/crash"


def test_near_name_is_suggested_for_a_crash():
    said = "module 'torch' has no attribute 'zeros'"
    own = ErrorOrigin.CODE
    ending = Raised("AttributeError", said, "net.py", 7, "pooled", origin=own, meant="zeroes")
    (found,) = verdicts(Explorer(source_text=PLAIN, explored=explored(failure(ending))))
    assert found.rule == "property/crash"
    assert found.suggestion.replacement == "    return torch.zeroes(n / 2)"


def doubtful(ending):
    """A bench where every input, of which nothing says that it is valid, ends so."""
    text = PLAIN.replace("pooled(torch.randn(2, 3), 4)", "")
    few = ExplorationResult(executions=100, passed=0, failures=(failure(ending, matters=("x",)),))
    return Explorer(source_text=text, explored=few)


def test_own_error_on_doubtful_inputs_is_told():
    own = replace(CRASH, exception="KeyError", origin=ErrorOrigin.CODE)
    (found,) = verdicts(doubtful(own))
    assert (found.rule, found.level, found.line) == ("code/error", Level.FAILURE, 10)
    assert (found.evidence["inputs"], found.evidence["runs"]) == (7, 100)


def test_error_of_unknown_origin_on_doubtful_inputs_is_withheld():
    unknown = replace(CRASH, exception="KeyError")
    (skipped,) = verdicts(doubtful(unknown))
    assert isinstance(skipped, Skipped)


def test_code_that_asks_a_cloud_api_is_left_to_another():
    bench = Explorer()
    assert verdicts(bench, api="google.vision.label_detection") == []
    assert bench.asked == []


def test_function_of_which_nothing_is_known_is_skipped_with_what_would_help():
    source = "import torch\n\ndef pooled(thing, n):\n    return torch.zeros(thing.secret(n))\n"
    (told,) = verdicts(Explorer(source_text=source))
    assert isinstance(told, Skipped)
    assert "#@arg(" in told.reason


def test_excluded_functions_are_left_alone():
    bench = Explorer(source_text=ANNOTATED.replace("#@timeout(2)", "#@exclude"))
    assert verdicts(bench) == []
    assert bench.asked == []


def test_drawing_that_breaks_is_our_fault():
    broken = ExplorationResult(obstacle="inputs cannot be drawn: KeyError: 'b'")
    narrow = ExplorationResult(obstacle="inputs cannot be drawn: Unsatisfiable: no examples")
    missing = ExplorationResult(obstacle="torch is not installed here")
    told = [verdicts(Explorer(explored=each))[0] for each in (broken, narrow, missing)]
    assert [each.our_fault for each in told] == [True, False, False]


def test_every_input_that_takes_too_long_is_said():
    bench = Explorer(explored=ExplorationResult(executions=3, timed_out=3))
    (told,) = verdicts(bench)
    assert told.reason == "every input took longer than 2 s"


def test_base_that_returned_makes_the_input_valid():
    plain = Explorer(
        source_text=PLAIN,
        explored=ExplorationResult(executions=100, passed=1, failures=(failure(matters=("n",)),)),
        on_base=Returned("1"),
    )
    (finding,) = verdicts(plain)
    assert isinstance(finding, Finding)


def test_call_of_the_project_that_crashes_is_a_witness():
    bench = Explorer(source_text=PLAIN, explored=explored(), ending=CRASH)
    (finding,) = verdicts(bench)
    assert finding.rule == "property/crash"
    assert finding.probes == tuple(bench.made) == tuple(bench.lasting)
    made = {name: each.recipe for name, each in bench.made[0].arguments.items()}
    assert made == {"x": "tensor((2, 3), dtype='float32', seed=0)", "n": "4"}
    assert "net.py:10" in finding.message
    assert "proposed" not in finding.evidence


def test_call_of_the_project_that_returns_or_is_refused_shows_nothing():
    refusal = Raised("ValueError", "n must be positive", "net.py", 6, "pooled", refusal=True)
    for ending in (Returned(""), refusal):
        assert verdicts(Explorer(source_text=PLAIN, explored=explored(), ending=ending)) == []


def test_project_is_no_witness_against_annotations():
    source = ANNOTATED + "\npooled(torch.randn(2, 3), 4)\n"
    bench = Explorer(source_text=source, explored=explored(), ending=CRASH)
    assert verdicts(bench) == []
    assert bench.made == []
