"""How many inputs a branch gets, and how often that ends in a false alarm."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.cloud.recall_statistics import ERROR, ReachCount, p_below, rejected, rounds, schedule
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import Finding
from benchmarks.statistics import false_alarms, family, fixed, sequential
from tests.analyzers.cloud.bench import Case, FakeBench

SOURCE = 'def check(path):\n    if "Fire" in labels():\n        return 1\n'


def pictures(*counts) -> Case:
    """A fire alarm whose pictures are answered right and wrong in these numbers, in turn."""
    answers = [
        answer
        for number, count in enumerate(counts)
        for answer in [["Sky"] if number % 2 else ["Fire"]] * count
    ]
    return Case(source=SOURCE, searched=(["Fire"], ["Sky"]), inputs={"Fire": answers})


class Counting(FakeBench):
    """A bench that counts the inputs run, and whose time runs out as they are."""

    def __init__(self, case, seconds_each=0.0):
        super().__init__(case)
        self.ran, self._seconds_each = 0, seconds_each

    def run(self, probes):
        self.ran += sum(probe.script is None for probe in probes)
        return super().run(probes)

    def remaining(self):
        return super().remaining() - self._seconds_each * self.ran


def inputs_of(case, **options):
    """The inputs that the bench ran, and those in the finding, if any."""
    bench = Counting(case, **options)
    found = [v for v in CloudAnalyzer().examine(case.target, bench) if isinstance(v, Finding)]
    return bench.ran, [finding.evidence["inputs"] for finding in found]


@pytest.mark.parametrize("inputs", [5, 10, 20])
def test_branch_at_the_threshold_is_seldom_called_low(inputs):
    exact = sequential(inputs, (0.75, 0.8, 0.9))
    assert exact[0.75].failure <= ERROR
    assert exact[0.8].failure <= 0.02
    assert exact[0.9].failure <= 0.001


@pytest.mark.parametrize("size", [2, 10])
def test_branches_judged_together_share_one_error(size):
    ours, uncorrected = false_alarms(size, families=400)
    assert ours <= ERROR
    assert size < 10 or uncorrected > 0.1


def test_looks_find_more_than_a_fixed_number():
    looks, plain = sequential(10, (0.5,))[0.5], fixed(10, (0.5,))[0.5]
    assert looks.failure > 2 * plain.failure


def test_hopeless_and_good_branches_cost_no_more():
    exact = sequential(10, (0.1, 0.95))
    assert exact[0.1].inputs < 10.5
    assert exact[0.95].inputs < 10.5


def test_low_branch_among_good_ones_is_still_found():
    chances = random.Random(4)
    found = [family([0.4, *[0.95] * 9], 10, chances)[0].fails(0.75) for _ in range(100)]
    assert sum(found) >= 90


def test_looks_spend_the_whole_error():
    for inputs in (1, 10, 20, 100):
        assert sum(look.error for look in schedule(inputs)) == pytest.approx(ERROR)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=6))
def test_failure_means_that_the_interval_is_clear(drawn):
    counts = [ReachCount(min(pair), max(pair)) for pair in drawn]
    for _ in rounds(counts, 0.75, schedule(10)):
        pass
    for count in counts:
        assert not count.fails(0.75) or (count.judged and count.misses(0.75))


@pytest.mark.parametrize(
    ("values", "falls"),
    [
        ([0.01, 0.04, 0.03, 0.005], [True, False, False, True]),
        ([0.04], [True]),
        ([0.03, 0.03], [False, False]),
        ([0.02, 0.04], [True, True]),
        ([], []),
    ],
)
def test_family_is_corrected_as_holm_does(values, falls):
    assert rejected(values, 0.05) == falls


def test_p_value_is_exact():
    assert p_below(0, 2, 0.75) == pytest.approx(0.0625)
    assert p_below(0, 0, 0.75) == 1


@pytest.mark.parametrize(
    ("answers", "ran", "reported"),
    [
        ((1, 9, 40), 20, [20]),
        ((1, 9, 4), 14, [14]),
        ((8, 2, 40), 10, []),
        ((6, 4, 3, 7, 40), 20, [20]),
        ((6, 4, 40), 20, []),
        ((5, 2), 7, [7]),
    ],
    ids=[
        "hopeless",
        "hopeless, and few",
        "good",
        "settled by ten more",
        "cleared by ten more",
        "all there are",
    ],
)
def test_inputs_are_tried_while_something_is_open(answers, ran, reported):
    assert inputs_of(pictures(*answers)) == (ran, reported)


def test_many_inputs_are_not_spent_on_the_hopeless():
    case = pictures(1, 60)
    bench = Counting(case)
    bench.plan = ExaminationPlan(inputs=40)
    (finding,) = [v for v in CloudAnalyzer().examine(case.target, bench) if isinstance(v, Finding)]
    assert bench.ran == finding.evidence["inputs"] == 40
    assert finding.evidence["looks"] == [20]


def test_time_that_runs_low_ends_the_asking():
    assert inputs_of(pictures(7, 3, 60), seconds_each=4.0) == (20, [])
    assert inputs_of(pictures(7, 3, 60), seconds_each=6.0) == (10, [10])


def test_few_inputs_are_enlarged_until_a_repair_can_be_checked():
    case = pictures(0, 60)
    bench = Counting(case)
    bench.plan = ExaminationPlan(inputs=4)
    (finding,) = [v for v in CloudAnalyzer().examine(case.target, bench) if isinstance(v, Finding)]
    assert finding.evidence["looks"] == [4, 8]


def test_inputs_for_a_text_are_not_topped_up():
    """No label could repair what is read as a whole."""
    source = 'def check(path):\n    if "Total" in text():\n        return 1\n'
    case = Case(
        source,
        "google.vision.text_detection",
        searched=("Total", "Sky"),
        inputs={"Total": [*["Total"], *["Sky"] * 40]},
    )
    assert inputs_of(case) == (10, [10])
