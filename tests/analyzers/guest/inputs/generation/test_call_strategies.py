"""Arguments of a call together: what is drawn meets its preconditions."""

import pytest
import torch
from hypothesis.errors import Unsatisfiable

from analyzers.guest.inputs.generation.call_scope import (
    CallScope,
    DrawingStatistics,
    UnsatisfiableConstraint,
)
from analyzers.guest.inputs.generation.call_strategies import inputs
from tests.analyzers.guest.inputs.generation.calling import drawn, smallest
from tests.analyzers.guest.inputs.generation.conditions import TABLE

NAMESPACE = {"torch": torch, "MODELS": ("resnet18", "vgg")}
FILTERED = {"sorted", "mean", "three parts"}


@pytest.mark.parametrize("name", TABLE)
def test_drawn_calls_meet_their_conditions(name):
    arguments, requires = TABLE[name]
    health = DrawingStatistics()

    calls = drawn(arguments, requires, examples=40, scope=CallScope(NAMESPACE), health=health)

    assert calls
    for call in calls:
        for condition in requires:
            assert eval(condition, {**NAMESPACE, **call}), call["recipes"]
    assert name in FILTERED or health.rejected == 0


def test_four_of_five_conditions_need_no_filter():
    assert len(TABLE) >= 30
    assert len(TABLE.keys() - FILTERED) >= 0.8 * len(TABLE)


def test_alternatives_are_all_drawn():
    arguments, requires = TABLE["implication"]
    calls = drawn(arguments, requires, examples=60)
    assert {type(call["layers"]) for call in calls} == {int, list}
    assert {len(call["layers"]) for call in calls if isinstance(call["layers"], list)} > {2, 3}


def test_what_may_be_drawn_is_not_made_smaller():
    calls = drawn({"a": "ints(0, 4)", "b": "ints(0, 2)"}, ["a <= b"], examples=200)
    assert {(call["a"], call["b"]) for call in calls} == {
        (a, b) for b in range(3) for a in range(b + 1)
    }


def test_dimensions_are_shared():
    calls = drawn(
        {
            "x": 'tensors(shape="b 3 h w")',
            "m": 'modules(in="b 3 h w", out="b k")',
            "y": 'tensors(shape="b k")',
        }
    )
    assert len({tuple(call["x"].shape) for call in calls}) > 5
    for call in calls:
        assert call["m"](call["x"]).shape == call["y"].shape


def test_named_dimensions_are_zero_where_a_condition_says_so():
    arguments = {"x": 'tensors(shape=("n", "d"))', "y": 'tensors(shape=("n",))'}
    calls = drawn(arguments, ["y.shape[0] >= 0"], examples=60, scope=CallScope(NAMESPACE))
    assert {len(call["x"]) for call in calls} >= {0, 1}
    assert all(len(call["x"]) == len(call["y"]) and call["x"].shape[1] for call in calls)
    assert all(map(len, (call["x"] for call in drawn(arguments, [], scope=CallScope(NAMESPACE)))))


def test_shapes_of_narrowed_names_stay_shared():
    calls = drawn(
        {"x": 'tensors(shape="b c")', "y": 'tensors(shape="c b")', "n": "ints(12, 40)"},
        ["x.shape[0] == n", "y.shape[0] % 2 == 0"],
    )
    for call in calls:
        assert call["x"].shape == (call["n"], call["y"].shape[0])
        assert call["y"].shape[1] == call["n"]


def test_bounds_that_name_other_arguments_come_after_them():
    calls = drawn({"k": "ints(min=1, max=n)", "n": "ints(1, 9)"}, ["k != 4"], examples=60)
    assert all(1 <= call["k"] <= call["n"] and call["k"] != 4 for call in calls)


def test_shrinking_goes_through_the_solver():
    table = {"embed": "ints(8, 64)", "heads": "ints(1, 8)"}
    found = smallest(table, ["embed % heads == 0"], lambda call: call["heads"] >= 3)
    assert found == {"embed": 9, "heads": 3}

    table = {"x": "int_lists(0, 9, 0, 99)", "n": "ints(0, 20)"}
    found = smallest(table, ["len(x) == n"], lambda call: sum(call["x"]) >= 7)
    assert found == {"x": [7], "n": 1}


def test_shrinking_takes_the_first_alternative():
    found = smallest({"a": "ints(0, 9)", "b": "ints(0, 9)"}, ["a == 0 or b == 0"], lambda _: True)
    assert found == {"a": 0, "b": 0}


@pytest.mark.parametrize(
    ("arguments", "requires", "annotation"),
    [
        ({"a": "ints(5, 9)", "b": "ints(0, 4)"}, ["a <= b"], "a <= b"),
        ({"a": "ints(0, 9)"}, ["a < 5", "a > 6"], "(a < 5) and (a > 6)"),
        ({"x": "int_lists(2, 4, 0, 9)"}, ["len(x) == 9"], "len(x) == 9"),
        ({"x": 'tensors(shape="b 3")'}, ["x.shape[1] == 4"], "x.shape[1] == 4"),
        ({"x": "anys(ints(1, 3), strings())"}, ["x is None"], "x is None"),
        ({"k": "ints(3, 3)"}, ["k % 2 == 0"], "k % 2 == 0"),
        ({"x": "ints("}, [], "ints("),
        ({"x": "ints(0, 3)"}, ["x =="], "x =="),
    ],
)
def test_what_nothing_meets_is_told_before_drawing(arguments, requires, annotation):
    with pytest.raises(UnsatisfiableConstraint) as raised:
        inputs({"arguments": arguments, "requires": requires}, CallScope)
    assert raised.value.annotation == annotation


def test_conditions_that_only_filtering_could_meet_are_given_up():
    health = DrawingStatistics()
    with pytest.raises(UnsatisfiableConstraint) as raised:
        drawn({"s": "strings(min_len=3)"}, ["hash(s) == 1"], examples=900, health=health)
    assert raised.value.annotation == "hash(s) == 1"
    assert health.accepted == 0
    assert health.unmeetable is not None


def test_health_tells_of_conditions_that_filter():
    health = DrawingStatistics()
    drawn({"x": "float_lists(2, 3, 0, 1)"}, ["sum(x) / len(x) > 0.6"], health=health, examples=60)
    assert 0 < health.rejected < health.drawn
    assert health.by_condition == {"sum(x) / len(x) > 0.6": health.rejected}
    assert len(health.notes()) == (health.rejected > 0.2 * health.drawn)


class Net:
    made = 0

    def __init__(self, size, depth=1):
        if size > 90:
            raise RuntimeError("too large")
        self.size, self.depth = size, depth


METHOD = {"constructor": {"arguments": {"size": "ints(2, 9)"}, "requires": ["size % 2 == 0"]}}


def test_instances_are_made_by_their_constructor():
    calls = drawn(
        {"x": 'tensors(shape="b c")'},
        ["x.shape[1] == self.size"],
        scope=CallScope({"Net": Net}),
        owner="Net",
        **METHOD,
    )
    assert {call["self"].size for call in calls} == {2, 4, 6, 8}
    assert all(call["x"].shape[1] == call["self"].size for call in calls)
    assert list(calls[0]["recipes"]) == ["self", "x"]


def test_examples_stand_before_the_constructor_s_constraints():
    examples = ["[3]", "{'size': 2 * LARGE, 'depth': 2}", "[half(8)]"]
    scope = CallScope({"Net": Net, "LARGE": 20, "half": lambda n: n // 2})
    constructor = {"arguments": {"size": "ints(2, 9)"}, "examples": examples}
    calls = drawn({}, scope=scope, owner="Net", constructor=constructor)
    assert {(call["self"].size, call["self"].depth) for call in calls} == {(3, 1), (40, 2), (4, 1)}
    assert "Net(half(8))" in {call["recipes"]["self"] for call in calls}


def test_an_instance_that_cannot_be_made_is_no_input():
    constructor = {"arguments": {"size": "ints(91, 99)"}}
    health = DrawingStatistics()
    with pytest.raises(Unsatisfiable):
        drawn(
            {"n": "ints(0, 9)"},
            ["n < self.size"],
            scope=CallScope({"Net": Net}),
            owner="Net",
            constructor=constructor,
            health=health,
        )
    assert health.accepted == 0
    assert health.all_in_vain().annotation == "n < self.size"


def test_generators_are_drawn_from_their_annotations_and_nested():
    generators = {
        "sizes": {"arguments": {"n": "ints(1, 4)"}, "requires": ["n % 2 == 1"]},
        "nets": {"arguments": {"size": "objs(sizes)", "depth": "ints(1, 3)"}},
    }
    scope = CallScope({"sizes": lambda n: n, "nets": Net}, generators)
    calls = drawn({"net": "objs(nets)"}, ["net.depth < 3"], scope=scope)
    assert {call["net"].size for call in calls} == {1, 3}
    assert "nets(size=sizes(n=1), depth=1)" in {call["recipes"]["net"] for call in calls}


def test_generators_that_need_themselves_are_told():
    generators = {"nets": {"arguments": {"inner": "objs(nets)"}}}
    scope = CallScope({"nets": lambda inner: inner}, generators)
    with pytest.raises(UnsatisfiableConstraint, match="own"):
        drawn({"net": "objs(nets)"}, scope=scope)
    with pytest.raises(UnsatisfiableConstraint, match="no generator"):
        drawn({"net": "objs(missing)"}, scope=CallScope())


OPTIONS = {"x": 'tensors(shape=("n", "d"))', **dict.fromkeys("pqrs", "ints(min=2, max=9)")}
DEFAULTS = dict.fromkeys("pqrs", "1")


def test_at_most_two_arguments_leave_their_defaults():
    made = drawn(OPTIONS, ["p <= q or p > q"], examples=100, defaults=DEFAULTS)
    left = [call.keys() & DEFAULTS.keys() for call in made]
    assert {len(each) for each in left} == {0, 1, 2}
    assert set().union(*left) == DEFAULTS.keys()


def test_what_a_call_gives_stays_together():
    calls = [
        {"x": "tensors(shape=(2, 3))", "p": "froms([30])", "q": "froms([40])"},
        {"x": "tensors(shape=(5, 1))", "p": "froms([50])"},
    ]
    given = {**OPTIONS, "y": 'tensors(shape=("n",))'}
    made = drawn(given, ["q > p or p < 50"], examples=200, defaults=DEFAULTS, calls=calls)
    shapes = {(call["x"].shape, call.get("p"), call.get("q")) for call in made}
    assert ((2, 3), 30, 40) in shapes
    assert ((5, 1), 50, 40) not in shapes
    assert all(len(call["x"]) == len(call["y"]) for call in made)
