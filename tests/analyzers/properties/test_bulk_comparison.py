"""Drawn inputs that head fails with or refuses, judged by base one by one."""

import textwrap

from analyzers.properties.base_search import call_probe, recipes_of
from analyzers.properties.call_variants import KnownCall, complexity, simpler
from analyzers.properties.failure_shrinking import returning_on_base, smallest_failure
from analyzers.properties.properties_analyzer import PropertiesAnalyzer
from analyzers.vocabulary import ExplorationResult, Failure, Level
from tests.analyzers.properties.revisions import TwoRevisions, target

BASE = textwrap.dedent("""
    import torch

    def pooled(x: torch.Tensor, size: int, scale: float = 1.0) -> torch.Tensor:
        assert x.dim() == 1
        return x.view(-1, size).mean(dim=1) * scale
""")
HEAD = BASE.replace("(-1, size)", "(-1, size, 1 if size < 3 else 2)")


def probes(*calls):
    given = (
        {"x": f"tensor(({n},), seed=1, low=-3, high=4)", "size": str(size)} for n, size in calls
    )
    return [call_probe(target("pooled"), KnownCall({**each, "scale": "2.5"})) for each in given]


def drawing(head, *calls):
    """Return a bench whose drawn inputs fail, the smallest on base too."""
    bench = TwoRevisions(BASE, head)
    drawn = probes(*calls)
    shrunk = Failure(drawn[0], bench.run(drawn[:1])[0], seen=len(drawn))
    bench.explore = lambda *_: ExplorationResult(
        executions=100, passed=80, failures=(shrunk,), failing=tuple(drawn)
    )
    return bench


def test_inputs_that_base_takes_are_told_though_the_smallest_failure_is_none_of_them():
    bench = drawing(HEAD, (1, 2), (7, 4), (40, 8), (27, 9))
    crash = next(PropertiesAnalyzer().examine(target("pooled"), bench))
    assert (crash.rule, crash.level, crash.line) == ("property/crash", Level.FAILURE, 6)
    assert crash.evidence["arguments"].keys() == {"x", "size"}
    assert bench.lasting == list(crash.probes)


def test_inputs_that_head_alone_refuses_are_a_notice():
    head = BASE.replace(
        "    return", "    if size > 6:\n        raise ValueError(size)\n    return"
    )
    found = list(PropertiesAnalyzer().examine(target("pooled"), drawing(head, (1, 2), (16, 8))))
    notices = [each for each in found if getattr(each, "level", None) is Level.NOTICE]
    assert [each.criterion.refused for each in notices] == [True]


def test_shrinking_keeps_that_base_returns():
    bench = TwoRevisions(BASE, HEAD)
    (run,) = returning_on_base(probes((40, 8), (7, 4)), bench)
    small = smallest_failure(Failure(run.probe, run.head), target("pooled"), bench)
    assert recipes_of(small.probe) == {"x": "tensor((3,))", "size": "3"}
    assert returning_on_base([small.probe], bench)


def test_simpler_calls_are_simpler_each():
    call = KnownCall({"x": "tensor((4, 6), dtype='int64', seed=3)", "n": "7", "mode": "'sum'"})
    made = list(simpler(call, {"mode"}))
    assert made
    assert all(complexity(each) < complexity(call) for each in made if "mode" in each.given)
    assert any("mode" not in each.given for each in made)
