"""What the functions say that an argument is passed on to."""

from analyzers.inference.constraint_sources import parameter_names, passed_arguments, type_hints
from tests.analyzers.inference.function_contexts import said, subject

CALLED = """
class Mode:
    def run(self): ...

def inner(mode: Mode, count: int = 3):
    return mode, count
"""


def test_names_of_another_file_are_not_said_in_this_one():
    text = "import other\ndef f(mode, count):\n    return other.inner(mode, count)\n"
    found = passed_arguments.callee_facts(subject(text, "f", other_py=CALLED), type_hints.facts)
    assert said(found) == ["count: ints() LIKELY"]


def test_names_of_the_same_file_are():
    text = CALLED + "\ndef f(mode):\n    return inner(mode)\n"
    assert said(passed_arguments.callee_facts(subject(text, "f"), type_hints.facts)) == [
        "mode: froms([Mode()]) LIKELY"
    ]


ANNOTATED = """
#@arg(states): tensors(shape="b t d")
#@arg(lengths): tensors(dtype="int64", shape="b", min=1, max=9)
#@arg(step): ints(min=1, max=9)
#@require(bool((lengths <= states.shape[1]).all()))
#@require(step % 2 == 0)
def last(states, lengths, step): ...
"""


def test_what_a_condition_ties_to_something_else_is_a_guess():
    text = "from other import last\ndef f(x, n, k):\n    return last(x * 2, n, k)\n"
    lengths, step = [
        'n: tensors(dtype="int64", shape="b", min=1, max=9) GUESS',
        "k: ints(min=1, max=9) STRONG",
    ]
    found = said(passed_arguments.callee_facts(subject(text, "f", other_py=ANNOTATED)))
    assert found == ["k % 2 == 0 STRONG", lengths, step]


def test_a_condition_on_arguments_that_are_all_passed_on_holds_of_them():
    text = "from other import last\ndef f(x, n):\n    return last(x, n, 2)\n"
    found = said(passed_arguments.callee_facts(subject(text, "f", other_py=ANNOTATED)))
    assert found[0] == "bool((n <= x.shape[1]).all()) STRONG"
    assert [each.rpartition(" ")[2] for each in found] == ["STRONG"] * 3


def test_what_a_callee_calls_it_says_less_than_its_own_name():
    text = """
def pair(t):
    return t, t

def made(image_size, spec):
    return pair(image_size), pair(spec)
"""
    found = said(passed_arguments.callee_facts(subject(text, "made"), parameter_names.facts))
    assert found == ["spec: ints(min=0, max=10) GUESS"]
