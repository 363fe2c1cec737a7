"""Dimensions are shared by the arguments of a call, and computed from each other."""

import pytest

from analyzers.guest.annotations.syntax import parse
from analyzers.guest.inputs.generation.call_scope import CallScope
from analyzers.guest.inputs.generation.strategies import strategy
from tests.analyzers.guest.inputs.generation.samples import made_calls


def _shapes(scope=None, count=40, **shapes):
    texts = {name: f"tensors(shape={shape!r})" for name, shape in shapes.items()}
    return [
        {name: tuple(value.shape) for name, value in call.items()}
        for call in made_calls(texts, scope, count)
    ]


def test_a_name_has_one_size_in_a_call():
    found = _shapes(x="b c h w", y="b k", z="w h")
    for call in found:
        b, _, h, w = call["x"]
        assert call["y"][0] == b
        assert call["z"] == (w, h)
    assert len({call["x"] for call in found}) > 10


def test_a_name_twice_in_a_shape_is_a_square():
    assert all(a == b for call in _shapes(x="n n") for a, b in [call["x"]])


def test_open_dimensions_are_shared_by_name():
    found = _shapes(x="*batch n", y="*batch m")
    assert all(call["x"][:-1] == call["y"][:-1] for call in found)
    assert {len(call["x"]) for call in found} == {1, 2, 3}


def test_nameless_dimensions_are_not_shared():
    found = _shapes(x="_ _", y="... 3", z="*_ 3")
    assert any(call["x"][0] != call["x"][1] for call in found)
    assert any(call["y"] != call["z"] for call in found)


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
def test_computed_dimensions_follow_in_either_order(order):
    words = {"x": "n h m", "y": "2*n h//2 n+1 m-1"}
    for call in _shapes(**{name: words[name] for name in order}):
        n, h, m = call["x"]
        assert call["y"] == (2 * n, h // 2, n + 1, m - 1)
        assert min(call["y"]) >= 1


def test_sums_of_two_names_are_met():
    for call in _shapes(y="n-m n*m (n+m)//2", x="n m"):
        n, m = call["x"]
        assert call["y"] == (n - m, n * m, (n + m) // 2)
        assert n > m


def test_what_is_computed_stays_small_where_it_can():
    assert all(call["x"][0] <= 8 for call in _shapes(x="4*n"))
    assert all(call["x"] == (n, 64 * n) for call in _shapes(x="n 64*n") for n in [call["x"][0]])


def test_elements_are_bounded_in_number():
    for call in _shapes(x="a b c d e f g"):
        assert len(call["x"]) == 7
        product = 1
        for size in call["x"]:
            product *= size
        assert product <= 4096
    sides = "ints(min=8, max=5000)"
    for call in made_calls({"x": f"tensors(shape=({sides}, {sides}, {sides}))"}, count=20):
        assert call["x"].numel() <= 2**16
        assert min(call["x"].shape) >= 8


def test_limits_that_a_scope_knows_are_kept():
    scope = CallScope(least={"n": 5}, most={"n": 6, "m": 2})
    found = _shapes(scope, x="n m")
    assert {call["x"] for call in found} == {(n, m) for n in (5, 6) for m in (1, 2)}


def test_dimensions_bound_before_are_kept():
    from hypothesis import find, settings

    scope = CallScope()
    found = strategy(parse("tensors(shape='n 2*n')"), scope)
    scope.dims["n"] = 3
    once = settings(database=None, max_examples=10)
    assert find(found, lambda _: True, settings=once).arguments[0].source() == "(3, 6)"


def test_elements_of_collections_share_dimensions():
    for call in made_calls(
        {"x": "lists(tensors(shape='n'), min_len=2)", "y": "tensors(shape='n')"}
    ):
        assert {len(each) for each in call["x"]} == {len(call["y"])}
