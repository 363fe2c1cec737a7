"""Calls that were seen are made again from what is known of their arguments."""

import pytest

from analyzers.inference.constraints.constraint_builders import parse_constraint
from analyzers.inference.function_lookup import find_function
from analyzers.properties.observed_recipes import observed_recipes, recipe_of
from analyzers.vocabulary import ObservedCall

NET = """
class Net:
    def __init__(self, width, depth=1):
        self.width = width

    def forward(self, x, mask=None):
        return x
"""


@pytest.mark.parametrize(
    ("seen", "recipe"),
    [
        (
            "tensors(dtype='float32', shape=(2, 3), min=-1.5, max=0.5)",
            "tensor((2, 3), dtype='float32', seed=0, low=-1.5, high=0.5)",
        ),
        (
            "np_arrays(dtype='int64', shape=(2,), min=1, max=1)",
            "array((2,), dtype='int64', fill=1)",
        ),
        ("tensors(dtype='bool', shape=(2,))", "tensor((2,), dtype='bool', seed=0)"),
        ("froms([(1, 'a')])", "(1, 'a')"),
        (
            "tuples(tensors(dtype='bool', shape=()), froms([None]))",
            "(tensor((), dtype='bool', seed=0), None,)",
        ),
        ("lists(froms([1]), min_len=2, max_len=2)", "[1, 1]"),
        ("modules()", None),
    ],
)
def test_value_that_was_seen_is_made_again(seen, recipe):
    assert recipe_of(parse_constraint(seen)) == recipe


def recipes(**more):
    subject = find_function("net.py", "Net.forward", {"net.py": NET})
    call = {"arguments": {"x": "froms([1])"}, "owner": "Net", "constructor": {}, **more}
    return observed_recipes(subject, [ObservedCall("Net.forward", test="README.md", **call)])


def test_call_of_a_method_is_made_with_its_instance():
    assert recipes(constructor={"width": "froms([4])"}) == [{"x": "1", "self": "Net(width=4)"}]


def test_call_lacks_what_is_needed():
    assert not recipes(constructor={"depth": "froms([4])"})
    assert not recipes(constructor={"width": "froms([4])"}, arguments={"mask": "froms([1])"})


def test_class_that_the_file_does_not_have_makes_nothing():
    assert not recipes(constructor={"width": "froms([4])"}, owner="Other")
