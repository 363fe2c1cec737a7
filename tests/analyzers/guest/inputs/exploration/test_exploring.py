"""Explorations through a real guest process, with real torch and Hypothesis."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.analyzers.guest.guests import PROJECTS, GuestAtHand, literal, probe
from tests.analyzers.guest.zygotes import Zygote

TORCH = ("fails_from_ten", "clips", "noisy", "pooled", "Net.forward", "Ramp.forward")
NUMBER = "ints(min=0, max=100)"


def contract(*ensures: str, constructor: Any = None, requires: Any = (), **arguments: str) -> Any:
    return {
        "arguments": arguments,
        "requires": list(requires),
        "ensures": list(ensures),
        "constructor": constructor,
        "examples": [],
    }


@pytest.fixture(scope="module")
def guests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Prepares a guest for a function, once."""
    started: dict[str, GuestAtHand] = {}
    zygote = Zygote(tmp_path_factory.mktemp("zygote"), "hypothesis", "torch")

    def guest(function: str) -> GuestAtHand:
        if function not in started:
            warm = zygote if function in TORCH else None
            folder = tmp_path_factory.mktemp("guest")
            found = GuestAtHand(folder, PROJECTS / "explored", zygote=warm)
            file = "small.py" if function in TORCH else "plain.py"
            assert found.prepare(file, function)["type"] == "prepared"
            started[function] = found
        return started[function]

    yield guest
    for each in started.values():
        each.close()
    zygote.close()


@pytest.fixture
def explore(guests: Any) -> Any:
    def explored(function: str, terms: Any, **more: Any) -> Any:
        guest = guests(function)
        frame = {"contract": terms, "generators": {}, "first": [], "examples": 60, "seconds": 20.0}
        frame |= {"timeout": 5.0, "seed": 0, "layer": None, **more}
        guest._wire.send({"type": "explore", **frame})
        found = guest._received()
        assert guest.errors.read_text() == ""
        return found

    return explored


def recipes(arguments: Any) -> dict[str, str]:
    return {place: argument["recipe"] for place, argument in arguments.items()}


def made(recipe: str) -> dict[str, str]:
    return {"kind": "made", "recipe": recipe}


def test_crash_is_found_and_made_small(explore: Any) -> None:
    terms = contract(x="tensors(shape='b 3 h w')", n="ints(min=1, max=100)")
    found = explore("fails_from_ten", terms)
    failure = found["failures"][0]
    assert recipes(failure["arguments"])["n"] == "11"
    assert recipes(failure["arguments"])["x"].startswith("tensor((1, 3, 1, 1)")
    assert failure["ending"]["exception"] == "RuntimeError"
    assert failure["matters"] == ["n"]
    assert found["passing"]
    assert all(int(recipes(each)["n"]) <= 10 for each in found["passing"])
    assert found["failing"]
    assert all(int(recipes(each)["n"]) > 10 for each in found["failing"])


@pytest.mark.slow
def test_two_failures_of_one_function_are_found(explore: Any, guests: Any) -> None:
    found = explore("two_failures", contract(n=NUMBER, m=NUMBER))
    by_name = {each["ending"]["exception"]: each for each in found["failures"]}
    assert by_name.keys() == {"KeyError", "IndexError"}
    assert recipes(by_name["KeyError"]["arguments"]) == {"n": "0", "m": "51"}
    small = recipes(by_name["IndexError"]["arguments"])
    assert small["m"] == "0"
    assert int(small["n"]) < 15
    assert by_name["KeyError"]["matters"] == ["m"]
    assert by_name["IndexError"]["matters"] == ["n"]
    again = by_name["KeyError"]["arguments"]
    assert guests("two_failures").ending(**again) == by_name["KeyError"]["ending"]


@pytest.mark.slow
def test_a_seed_says_what_is_drawn(explore: Any) -> None:
    terms = contract(n=NUMBER, m=NUMBER)
    one, two = (explore("two_failures", terms, seed=3, examples=30) for _ in range(2))
    same = ("failures", "passing", "executions", "passed")
    assert [one[key] for key in same] == [two[key] for key in same]


def test_refusals_are_no_failures(explore: Any) -> None:
    found = explore("refuses_odd", contract(n=NUMBER), examples=40)
    assert found["failures"] == []
    assert found["refused"] == len(found["failing"]) > 0
    assert found["passed"] + found["refused"] == found["executions"]
    assert any("refused by the code" in note for note in found["notes"])


def test_segfault_is_a_failure_with_its_signal(explore: Any) -> None:
    found = explore("segfault", contract(n=NUMBER, m="bools()"), examples=30, seconds=12.0)
    (failure,) = found["failures"]
    assert failure["signal"] == 11
    assert "ending" not in failure
    assert int(recipes(failure["arguments"])["n"]) > 5
    assert found["passed"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("function", ["hangs", "deaf"])
def test_hang_costs_its_input_alone(explore: Any, function: str) -> None:
    terms = contract(n="ints(min=0, max=4)")
    found = explore(function, terms, examples=10, timeout=0.3)
    assert found["timed_out"] >= 1
    assert found["passed"] >= 3
    assert found["failures"] == []


def test_violation_says_what_was_there(explore: Any, guests: Any) -> None:
    found = explore("doubles", contract("result == 2 * n", n="ints(min=0, max=20)"))
    (failure,) = found["failures"]
    assert recipes(failure["arguments"]) == {"n": "12"}
    expected = {"kind": "violated", "condition": "result == 2 * n"}
    assert failure["ending"] == {**expected, "detail": "result is 25, 2 * n is 24"}
    again = {**probe(n=made("12")), "ensures": ["result == 2 * n"]}
    assert guests("doubles").run(again)[0]["ending"] == failure["ending"]


@pytest.mark.slow
def test_mutation_is_seen_by_unchanged_and_old(guests: Any) -> None:
    guest = guests("clips")
    tensor = made("tensor((2,), fill=3.0)")

    def kind(*ensures: str, x: Any = tensor) -> str:
        return guest.run({**probe(x=x), "ensures": list(ensures)})[0]["ending"]["kind"]

    assert kind("unchanged()") == "violated"
    assert kind("unchanged(x)") == "violated"
    assert kind("unchanged()", x=made("tensor((2,), fill=0.5)")) == "returned"
    assert kind("(old(x) == 3).all() and (x == 1).all()") == "returned"
    assert kind("finite(result) and repeatable()") == "returned"
    assert kind("result <= 1") == "returned"
    assert kind("matches(result, \"tensors(shape='3')\")") == "violated"
    told = "matches(result, \"tensors(shape='n')\", x=\"tensors(shape='n')\")"
    assert kind(told) == "returned"
    assert kind("result.missing") == "violated"
    assert kind("unknown > 1") == "not-run"


@pytest.mark.slow
def test_result_that_depends_on_an_earlier_call_is_seen(guests: Any) -> None:
    guest = guests("Ramp.forward")

    def ending(earlier: str, model: str = "Ramp()") -> Any:
        asked = {**probe(self=made(model), x=made("tensor((300,))"))}
        return guest.run({**asked, "ensures": [f"unaffected_by({earlier!r})"]})[0]["ending"]

    found = ending("x=tensor((400,), dtype='bfloat16')")
    assert found["kind"] == "violated"
    assert "without it" in found["detail"]
    for harmless in ("x=tensor((400,))", "x=tensor((9,), dtype='bfloat16')", "x=3"):
        assert ending(harmless)["kind"] == "returned", harmless
    for model in ("Ramp(keeps=False)", "Ramp(counts=True)"):
        assert ending("x=tensor((400,), dtype='bfloat16')", model)["kind"] == "returned", model


@pytest.mark.slow
def test_violated_dimension_is_told_from_the_arguments(explore: Any) -> None:
    promise = "matches(result, \"tensors(shape='b')\")"
    found = explore("pooled", contract(promise, x="tensors(shape='b 2')"), examples=20)
    (failure,) = found["failures"]
    assert failure["ending"]["condition"] == promise
    assert "it has 0 dimensions" in failure["ending"]["detail"]


@pytest.mark.slow
def test_generator_is_drawn_from_and_coroutine_awaited(explore: Any) -> None:
    (lazy,) = explore("lazily", contract(n="ints(min=0, max=9)"))["failures"]
    assert recipes(lazy["arguments"]) == {"n": "5"}
    (later,) = explore("later", contract(n="ints(min=0, max=9)"))["failures"]
    assert recipes(later["arguments"]) == {"n": "1"}


@pytest.mark.slow
def test_failure_of_a_called_function_is_found(explore: Any) -> None:
    (failure,) = explore("nested", contract(n="ints(min=0, max=9)"))["failures"]
    assert failure["ending"]["function"] == "helper"
    assert recipes(failure["arguments"]) == {"n": "3"}


@pytest.mark.slow
def test_random_failure_repeats(explore: Any, guests: Any) -> None:
    (failure,) = explore("noisy", contract(n=NUMBER))["failures"]
    again = guests("noisy").ending(**failure["arguments"])
    assert again == failure["ending"]


@pytest.mark.slow
def test_methods_are_called_on_made_instances(explore: Any, guests: Any) -> None:
    constructor = contract(width="ints(min=1, max=4)", depth="ints(min=1, max=3)")
    terms = contract(constructor=constructor, index="ints(min=0, max=5)")
    (failure,) = explore("Scale.step", terms)["failures"]
    assert failure["ending"]["exception"] == "IndexError"
    assert recipes(failure["arguments"])["self"].startswith("Scale(")
    assert "index" in failure["matters"]
    given = {"self": made("Scale(width=1, depth=3)"), "index": literal(2)}
    (result,) = guests("Scale.step").run({"arguments": given, "script": []})
    assert result["ending"]["value"] == "-0.25"


@pytest.mark.slow
def test_model_of_torch_is_made_and_called(explore: Any) -> None:
    constructor = contract(width="ints(min=2, max=2)", depth="ints(min=1, max=3)")
    terms = contract(constructor=constructor, x="tensors(shape=('b', ints(min=2, max=3)))")
    (failure,) = explore("Net.forward", terms)["failures"]
    assert failure["ending"]["function"] == "Net.forward"
    assert recipes(failure["arguments"])["x"].startswith("tensor((1, 3)")
    assert "x" in failure["matters"]


@pytest.mark.slow
def test_constructors_class_and_static_methods_fail(explore: Any) -> None:
    made_of = contract(width="ints(min=1, max=9)", depth="ints(min=0, max=2)")
    (failure,) = explore("Scale.__init__", made_of)["failures"]
    assert recipes(failure["arguments"]) == {"width": "5", "depth": "0"}
    names = contract(name="froms(['small', 'big', 'odd'])")
    (failure,) = explore("Scale.preset", names)["failures"]
    assert recipes(failure["arguments"]) == {"name": "'odd'"}
    (failure,) = explore("Scale.halved", contract(n="ints(min=0, max=9)"))["failures"]
    assert recipes(failure["arguments"]) == {"n": "4"}


def test_command_line_is_made_of_words(explore: Any) -> None:
    terms = contract(**{"sys.argv": "lists(strings(alphabet='ab'), min_len=0, max_len=4)"})
    (failure,) = explore("__main__", terms)["failures"]
    assert failure["ending"]["exception"] == "IndexError"
    assert recipes(failure["arguments"]) == {"sys.argv": "['', '']"}


def test_unmet_contract_is_said(explore: Any) -> None:
    found = explore("helper", contract(n="ints(min=0, max=3)", requires=["n > 5"]))
    assert found["unmet"] is not None
    assert found["executions"] == 0


def test_first_inputs_come_first_where_the_contract_admits_them(explore: Any) -> None:
    first = [{"n": made("7"), "m": made("60")}, {"n": made("-1"), "m": made("60")}]
    wider = contract(n="ints(max=7, min=0)", m="ints(min=60)")
    failures = explore("two_failures", wider, first=first)["failures"]
    assert {"n": "7", "m": "60"} in [recipes(failure["arguments"]) for failure in failures]
    other = explore("two_failures", contract(n="ints(max=1, min=0)", m="bools()"), first=first)
    assert other["failures"] == []


@pytest.mark.slow
def test_missing_layer_is_an_obstacle(start: Any, bare_python: str) -> None:
    guest = start("rough", python=bare_python)
    assert guest.prepare("ends.py", "crash")["type"] == "prepared"
    frame = {"contract": contract(items="lists(ints())"), "examples": 5, "seconds": 5.0}
    guest._wire.send({"type": "explore", **frame, "timeout": 1.0, "seed": 0, "layer": None})
    assert "Hypothesis" in guest._received()["obstacle"]
