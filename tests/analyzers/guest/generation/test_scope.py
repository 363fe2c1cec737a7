"""What the arguments of a call share."""

from analyzers.guest.generation.scope import Scope
from tests.analyzers.guest.generation.calling import drawn


def test_an_argument_comes_before_a_global_of_its_name():
    around = {"n": "ints(min=1, max=5)", "k": "ints(min=0, max=n)"}
    found = drawn(around, scope=Scope({"n": 100}))
    assert found
    assert all(call["k"] <= call["n"] for call in found)


def test_names_bound_inside_an_expression_are_not_free():
    scope = Scope({"SIZES": [1, 2]})
    assert scope.unbound("sum(s for s in SIZES) + n") == {"n"}
    assert not scope.varies("max(SIZES)")
    assert scope.varies("k - 1")


def test_nothing_is_kept_from_call_to_call():
    scope = Scope(dims={"n": 3}, known={"x": 1}, least={"n": 2})
    scope.begin()
    assert (scope.dims, scope.known, scope.least) == ({}, {}, {"n": 2})
    assert scope.inner().least == {}
