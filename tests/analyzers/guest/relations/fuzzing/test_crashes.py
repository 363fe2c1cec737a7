import os

import pytest

from analyzers.guest.relations.fuzzing import memory_bounds
from analyzers.guest.relations.fuzzing.fuzz_campaign import ApiFuzzing, fuzz
from analyzers.guest.relations.fuzzing.fuzz_workers import (
    FuzzSettings,
    FuzzSubject,
    end_disagreements,
    writable_call,
)
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
from analyzers.guest.relations.process_pool import ProcessHung
from tests.analyzers.guest.relations.small import SmallLibrary

torch = pytest.importorskip("torch")

STATUSES = FuzzSettings(inputs=120, seconds=20.0, oracles=(), workers=1)
BAG = (
    "torch.nn.functional.embedding_bag(torch.tensor([1, 2, 0]), "
    "torch.ones((4, 3)), torch.tensor([0, 2]), mode='sum', padding_idx=1)"
)
LOSS = (
    "torch.nn.functional.ctc_loss(torch.zeros((4, 1, 3)), torch.tensor([[{}, 1]]), "
    "torch.tensor([4]), torch.tensor([2]), reduction='sum')"
)


def live(text):
    return live_call(parse_call(text, library("torch")), library("torch"))


def subject(*texts):
    calls = tuple(parse_call(text, library("torch")) for text in texts)
    return FuzzSubject(calls[0].api, calls)


@pytest.fixture(scope="module")
def campaign():
    subjects = [
        subject("torch.lcm(torch.tensor([6, 4]), torch.tensor([4, 3]))"),
        subject("torch.ones(2147483648, dtype=torch.float64)", "torch.ones(2)"),
        subject(BAG),
        subject("torch.div(torch.tensor([6, 4]), torch.tensor([4, 3]), rounding_mode='trunc')"),
        subject("torch.neg(torch.tensor([6.0, 4.0]))"),
    ]
    return {each.api: each for each in fuzz(subjects, library("torch"), STATUSES)}


@pytest.mark.slow
def test_a_campaign_goes_on_after_deaths_and_huge_allocations(campaign):
    assert len(campaign) == 5
    assert campaign["torch.neg"].executions >= 60
    assert campaign["torch.ones"].rows == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("api", "signal"),
    [
        ("torch.lcm", "SIGFPE"),
        ("torch.div", "SIGFPE"),
        ("torch.nn.functional.embedding_bag", "SIGSEGV"),
    ],
)
def test_deaths_are_found_where_only_the_end_is_looked_at(campaign, api, signal):
    rows = [row for row in campaign[api].rows if row["rule"] == "crash"]
    assert signal in [row["outcome"] for row in rows]
    assert all(len(row["call"]) < 300 for row in rows)


def test_calls_before_a_death_are_counted(campaign):
    assert campaign["torch.lcm"].executions == 80


def test_an_internal_assertion_is_a_crash_without_any_oracle():
    call = live("torch.index_put(torch.tensor([0, 0]), (), torch.tensor([0, 0]))")
    (found,) = end_disagreements(call, library("torch"))
    assert "INTERNAL ASSERT" in found.outcome.text
    assert found.rule == "crash"


def test_an_exception_is_no_crash():
    assert end_disagreements(live("torch.neg(torch.tensor([True]))"), library("torch")) == []


def test_a_read_beyond_an_array_is_seen_by_what_lies_there():
    (found,) = memory_bounds.judge(live(LOSS.format(700)), library("torch"))
    assert (found.relation, found.rule) == ("bounds", "crash")
    assert found.outcome.text != found.expected.text


@pytest.mark.parametrize(
    "text",
    [
        LOSS.format(2),
        "torch.median(torch.Tensor.expand(torch.tensor([[3.0], [nan]]), 2, 3), 1)",
        "torch.empty((3, 4))",
        "torch.empty_like(torch.tensor([1.0, 2.0]))",
        "torch.Tensor.resize_(torch.tensor([1.0, 2.0]), 9)",
        "torch.add(torch.tensor([1.0, 2.0]), 1, out=torch.tensor([1.0]))",
        "torch.as_strided(torch.tensor([1.0, 2.0, 3.0]), (2,), (2,))",
        "torch.rand_like(torch.tensor([1.0, 2.0]))",
    ],
)
def test_what_stays_inside_its_arrays_is_not_told(text):
    assert memory_bounds.judge(live(text), library("torch")) == []


def test_a_write_beyond_an_array_is_seen():
    def careless(x):
        if x.untyped_storage().nbytes() > 100:
            x.as_strided((x.numel() + 1,), (1,))[-1] = 7.0
        return x

    call = live("torch.neg(torch.tensor([1.0, 2.0]))")
    call.function = careless
    (found,) = memory_bounds.judge(call, library("torch"))
    assert "writes" in found.outcome.text


def test_a_finding_of_reads_beyond_is_confirmed_and_made_small():
    settings = FuzzSettings(inputs=30, oracles=("bounds",), workers=1)
    (fuzzed,) = fuzz([subject(LOSS.format(700), LOSS.format(2))], library("torch"), settings)
    rows = [row for row in fuzzed.rows if row["relation"] == "bounds"]
    assert rows
    assert len(rows[0]["call"]) < len(LOSS) + 20


def test_a_call_too_large_for_text_is_told_with_one_number():
    large = live("torch.neg(tensor((30, 30), 'float32', seed=1, low=-1, high=1))")
    text, is_exact = writable_call(large, library("torch"))
    assert not is_exact
    assert text.startswith("torch.neg(torch.full((30, 30), ")
    assert writable_call(live("torch.neg(torch.tensor([1.0]))"), library("torch"))[1]


def test_a_death_that_needs_an_earlier_call_is_no_finding_and_that_call_is_named():
    called = []

    def brittle(x):
        called.append(x)
        if len(called) > 1 and x.size and x.flat[0] == 3.0:
            os.abort()

    known = SmallLibrary(
        {"brittle": brittle},
        ("small.brittle(small.array([1.0]))", "small.brittle(small.array([3.0]))"),
    )
    calls = tuple(call for call, _ in known.valid())
    settings = FuzzSettings(inputs=9, seconds=20.0, oracles=(), workers=1)
    (fuzzed,) = fuzz([FuzzSubject("small.brittle", calls)], known, settings)
    assert fuzzed.rows == ()
    (note,) = [note for note in fuzzed.notes if "not repeated alone" in note]
    assert "small.brittle(small.array([" in note


def test_work_that_was_asked_for_is_no_hang() -> None:
    hunt = ApiFuzzing("torch.special.laguerre_polynomial_l")
    hunt.end(
        ProcessHung(0, "", 5.0),
        f"{hunt.told().api}(torch.tensor(6), torch.tensor(2147483648))",
        True,
    )
    hunt.end(ProcessHung(1, "", 5.0), f"{hunt.told().api}(torch.tensor(6.123456789), 3)", True)
    assert [finding.call[-3:] for finding in hunt.open(0)] == [" 3)"]
