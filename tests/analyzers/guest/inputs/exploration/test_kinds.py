"""Kinds of arguments and guards of libraries, through a real guest process."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.analyzers.guest.guests import PROJECTS, GuestAtHand
from tests.analyzers.guest.inputs.exploration.test_exploring import contract, recipes
from tests.analyzers.guest.zygotes import Zygote

pytestmark = pytest.mark.slow

GUARDS = "guards.py"
DEEP = "deep.py"
"""Of which it counts what was imported before."""


@pytest.fixture(scope="module")
def explore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Functions of one project, whose guests have what it imports from one process."""
    started: dict[str, GuestAtHand] = {}
    zygote = Zygote(tmp_path_factory.mktemp("zygote"), "hypothesis", "jaxtyping", "torch")

    def explored(function: str, terms: Any, file: str = "kinds.py", **more: Any) -> Any:
        if function not in started:
            warm = None if file == DEEP else zygote
            folder = tmp_path_factory.mktemp("guest")
            guest = GuestAtHand(folder, PROJECTS / "explored", zygote=warm)
            started[function] = guest
            assert guest.prepare(file, function)["type"] == "prepared"
        guest = started[function]
        frame = {"contract": terms, "generators": {}, "first": [], "examples": 40, "seconds": 30.0}
        frame |= {"timeout": 20.0, "seed": 0, "layer": None, **more}
        guest._wire.send({"type": "explore", **frame})
        found = guest._received()
        assert guest.errors.read_text() == ""
        return found

    yield explored
    for each in started.values():
        each.close()
    zygote.close()


def test_objects_of_generators_are_made(explore: Any) -> None:
    nets = contract(width="ints(min=1, max=3)", depth="ints(min=1, max=4)")
    found = explore("depth_of", contract(net="objs(small_nets)"), generators={"small_nets": nets})
    (failure,) = found["failures"]
    assert recipes(failure["arguments"]) == {"net": "small_nets(width=1, depth=3)"}
    assert found["passed"] > 0


def test_examples_of_a_constructor_are_used(explore: Any) -> None:
    examples = {**contract(), "examples": ["[3]", "{'width': 2, 'parts': 1}"]}
    terms = contract(constructor=examples, x="tensors(shape='b width')")
    found = explore("Blend.forward", terms)
    assert found["failures"] == []
    instances = {recipes(each)["self"] for each in found["passing"]}
    assert instances <= {"Blend(3)", "Blend(width=2, parts=1)"}
    assert instances


def test_result_has_sizes_of_the_instance(explore: Any) -> None:
    promise = "matches(result, \"tensors(shape='_ width')\")"
    widths = contract(width="ints(min=4, max=6)")
    terms = contract(promise, constructor=widths, x="tensors(shape='b width')")
    (failure,) = explore("Blend.forward", terms)["failures"]
    assert failure["ending"]["condition"] == promise
    assert recipes(failure["arguments"])["self"] == "Blend(width=4)"
    assert recipes(failure["arguments"])["x"].startswith("tensor((3, 4)")


def test_loaders_are_made(explore: Any) -> None:
    loaders = "loaders(tuples(tensors(shape=(2,)), ints(0, 1)), batch_size=ints(1, 4), min_len=1)"
    (failure,) = explore("mean_loss", contract(loader=loaders))["failures"]
    assert failure["ending"]["exception"] == "ZeroDivisionError"
    assert recipes(failure["arguments"])["loader"].endswith("(tensor((2,)), 0)], 3)")


def test_models_of_pydantic_are_made_and_refuse(explore: Any) -> None:
    found = explore("scheduled", contract(settings="configs(of=Settings)"), GUARDS)
    assert (found["failures"], found["passed"] > 0) == ([], True)
    found = explore("settings_of", contract(rate="floats(min=-1, max=1)"), GUARDS)
    assert (found["failures"], found["refused"] > 0, found["passed"] > 0) == ([], True, True)


@pytest.mark.parametrize("function", ["guarded", "Shelf.place", "Shelf.spot"])
def test_guards_of_pydantic_refuse(explore: Any, function: str) -> None:
    made_of = contract() if function == "Shelf.spot" else None
    terms = contract(count="ints(min=0, max=9)", constructor=made_of)
    found = explore(function, terms, GUARDS)
    (failure,) = found["failures"]
    assert (failure["ending"]["exception"], found["refused"]) == ("IndexError", 3)
    assert recipes(failure["arguments"])["count"] == "5"


def test_guards_of_jaxtyping_refuse(explore: Any) -> None:
    found = explore("paired", contract(x="tensors(dtype='float32', shape=('n', ints(1, 3)))"))
    (failure,) = found["failures"]
    assert (failure["ending"]["function"], found["refused"] > 0) == ("paired", True)
    assert recipes(failure["arguments"])["x"].startswith("tensor((1, 2)")


def test_modes_around_a_function_are_kept(explore: Any) -> None:
    found = explore("clipped", contract(weights="tensors(shape='n', requires_grad=True)"))
    assert (found["failures"], found["passed"] > 0) == ([], True)


def test_generator_that_stops_by_an_exception_fails_where_it_raises(explore: Any) -> None:
    terms = contract(rows="tensors(shape=('n', 2))", size="ints(min=1, max=3)")
    failure = explore("batches", terms)["failures"][0]
    assert failure["ending"]["exception"] == "RuntimeError"
    assert (failure["ending"]["function"], failure["ending"]["refusal"]) == ("batches", False)


def test_keras_takes_the_backend_that_is_there(explore: Any) -> None:
    shape = "np_arrays(dtype='float32', shape=(2, 3), finite=True)"
    promise = "not result.startswith('tensorflow')"
    found = explore("softened", contract(promise, values=shape, axis="ints(0, 2)"), DEEP)
    (failure,) = found["failures"]
    assert recipes(failure["arguments"])["axis"] == "2"
    assert found["passed"] > 0
