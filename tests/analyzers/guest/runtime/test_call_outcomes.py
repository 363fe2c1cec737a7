import time
from collections.abc import Callable

import pytest

from tests.analyzers.guest.guests import GuestAtHand, labels, literal, probe

Start = Callable[..., GuestAtHand]


@pytest.fixture
def prepared(start: Start) -> Callable[[str], GuestAtHand]:
    def begin(function: str) -> GuestAtHand:
        guest = start("rough")
        assert guest.prepare("ends.py", function)["type"] == "prepared"
        return guest

    return begin


def test_crash_names_the_place(prepared) -> None:
    ending = prepared("crash").ending(items=literal([1]))
    assert ending == {
        "kind": "raised",
        "exception": "IndexError",
        "message": "list index out of range",
        "path": "ends.py",
        "line": 11,
        "function": "crash",
        "refusal": False,
        "standin": False,
    }


@pytest.mark.parametrize("amount", [-1, 200])
def test_raise_on_purpose_is_refusal(prepared, amount: int) -> None:
    assert prepared("refuse").ending(amount=literal(amount))["refusal"] is True


def test_failing_raise_is_no_refusal(prepared) -> None:
    ending = prepared("careless").ending(items=literal([]))
    assert (ending["exception"], ending["refusal"]) == ("IndexError", False)


def test_what_a_client_of_networks_raises_is_of_this_machine(prepared) -> None:
    ending = prepared("ask").ending(url=literal("http://localhost:9/"))
    assert (ending["exception"], ending["standin"]) == ("RuntimeError", True)


def test_system_exit_is_refusal(prepared) -> None:
    ending = prepared("stop").ending()
    assert (ending["exception"], ending["refusal"]) == ("SystemExit", True)


def test_segfault_costs_one_probe(prepared) -> None:
    results = prepared("segfault").run(*(probe(at=literal(at)) for at in range(4)))
    assert [r.get("ending", r) for r in results] == [
        {"kind": "returned", "value": "0"},
        {"kind": "returned", "value": "1"},
        {"died": 11},
    ]


def test_exit_of_process_is_a_death(prepared) -> None:
    results = prepared("leave").run(*(probe(at=literal(at)) for at in range(3)))
    assert len(results) == 2
    assert results[1] == {"died": 0}


@pytest.mark.parametrize("function", ["spin", "swallow", "deaf"])
def test_endless_probe_times_out(prepared, function: str) -> None:
    guest = prepared(function)
    started = time.monotonic()
    results = guest.run(*(probe(at=literal(at)) for at in range(3)), seconds=0.2)
    assert [r["ending"]["kind"] for r in results] == ["returned", "timed-out", "returned"]
    assert time.monotonic() - started < 30


def test_output_flood_goes_nowhere(prepared) -> None:
    assert prepared("flood").ending(lines=literal(5000))["value"] == "'done'"


def test_runs_leave_zygote_untouched(prepared) -> None:
    guest = prepared("remember")
    assert [guest.ending(item=literal(1))["value"] for _ in range(2)] == ["1", "1"]


def test_generator_is_drawn_bounded(prepared) -> None:
    value = prepared("numbers").ending()["value"]
    assert value.startswith("[0, 1, 2")
    assert len(value) < 1000


def test_coroutine_is_awaited(prepared) -> None:
    assert prepared("later").ending(value=literal(1))["value"] == "2"


def test_value_has_no_address(prepared) -> None:
    value = prepared("show").ending()["value"]
    assert value == "(<object object>, {'a': 2, 'b': 1}, {'a', 'b', 'c'})"


def test_recursion_and_size_are_bounded(prepared) -> None:
    ending = prepared("deep").ending(n=literal(0))
    assert (ending["exception"], ending["function"]) == ("RecursionError", "deep")
    assert len(prepared("huge").ending()["value"]) <= 1000


def test_missing_argument_is_not_run(prepared) -> None:
    assert prepared("crash").ending()["kind"] == "not-run"
    assert prepared("crash").ending(other=literal(1))["kind"] == "not-run"


def test_attribute_that_a_method_not_called_sets_is_our_doing(prepared) -> None:
    ending = prepared("Timed.total").ending(self={"kind": "made", "recipe": "Timed(2)"})
    assert (ending["exception"], ending["standin"]) == ("AttributeError", True)


def test_attribute_that_the_constructor_may_leave_out_is_the_codes(prepared) -> None:
    ending = prepared("Timed.is_large").ending(self={"kind": "made", "recipe": "Timed(2)"})
    assert (ending["exception"], ending["standin"]) == ("AttributeError", False)


@pytest.mark.parametrize("function", ["without_driver", "without_accelerator"])
def test_missing_device_is_no_defect(prepared, function) -> None:
    assert prepared(function).ending()["standin"] is True


def test_call_that_asks_without_end_is_cut(prepared) -> None:
    ending = prepared("ask_without_end").ending(
        script=[("google.vision.label_detection", labels(("Dog", 0.9)))] * 300
    )
    assert ending == {"kind": "returned", "value": "None"}
