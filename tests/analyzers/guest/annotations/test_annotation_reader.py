"""Annotations are found above functions, as comments and as decorators."""

import importlib
import sys

import pytest

from analyzers.guest.annotations import decorators
from analyzers.guest.annotations.annotation_reader import read
from analyzers.guest.annotations.constraints import KINDS
from analyzers.guest.annotations.syntax import lines

PAPER = """
#@arg(input_shape): tuples(ints(min=20, max=70), ints(min=20, max=70), ints(min=1, max=3))
#@arg(dense_layers): anys(-1, ints(min=1, max=5),
#                         int_lists(min_len=2, max_len=5, min=2, max=5))
# plain words do no harm
# @arg(depth): ints(min=10, max=100)

#@require(type(dense_layers) is not list or len(dense_layers)==dense_blocks)
@decorated
#@timeout(5)
def dense_net(input_shape=None, dense_blocks=3, dense_layers=-1, depth=40):
    pass
"""


def said(source, function):
    return lines(read(source).functions[function])


def test_comments_above_a_function_are_read():
    assert said(PAPER, "dense_net") == [
        "#@arg(input_shape):"
        " tuples(ints(min=20, max=70), ints(min=20, max=70), ints(min=1, max=3))",
        "#@arg(dense_layers): anys(-1, ints(min=1, max=5),"
        " int_lists(min_len=2, max_len=5, min=2, max=5))",
        "#@arg(depth): ints(min=10, max=100)",
        "#@require(type(dense_layers) is not list or len(dense_layers)==dense_blocks)",
        "#@timeout(5)",
    ]
    assert read(PAPER).problems == []


def test_decorators_say_the_same():
    source = """
from assayer_annotations import arg, generator, require as needs, cc_example
import assayer_annotations as an

class Net:
    @cc_example([3, int()])
    def __init__(self, depth, start): ...

    @arg("x", an.tensors(dtype="float32", shape="b 3"))
    @an.arg("n", an.modules(in_="b 3"))
    @needs(lambda x, n: x.shape[0] == 1)
    @needs("len(x) > 2")
    @an.ensure(lambda result: finite(result))
    @an.returns(an.ints(min=1))
    def forward(self, x, n): ...

@generator
@an.exclude
@arg("n", an.ints())
def nets(n): ...
"""
    assert said(source, "Net.forward") == [
        '#@arg(x): tensors(dtype="float32", shape="b 3")',
        '#@arg(n): modules(in="b 3")',
        "#@require(x.shape[0] == 1)",
        "#@require(len(x) > 2)",
        "#@ensure(finite(result))",
        "#@returns: ints(min=1)",
    ]
    assert said(source, "Net.__init__") == ["#@cc_example([3, int()])"]
    nets = read(source).functions["nets"]
    assert (nets.generator, nets.exclude) == (True, True)
    assert read(source).problems == []


def test_decorators_of_others_are_none():
    source = "from mine import arg\n@arg('x', 1)\ndef f(x): ...\n"
    assert not read(source).functions


def test_nested_functions_and_methods_have_their_own():
    source = "def f(x):\n    #@arg(y): ints()\n    def g(y): ...\n"
    source += "class C:\n    #@exclude\n    def m(self): ...\n"
    found = read(source).functions
    assert set(found) == {"f.<locals>.g", "C.m"}


def test_module_test_stands_in_the_first_ten_lines():
    assert read("#!python\n#@module_test\nrun()\n").module_test
    assert not read("\n" * 12 + "#@module_test\nrun()\n").module_test


@pytest.mark.parametrize(
    ("line", "problem", "column"),
    [
        ("#@arg(nn): ints()", "no parameter 'nn'; did you mean n?", 6),
        ("#@arg(n): intz()", "did you mean ints?", 15),
        ("#@requires(n > 3)", "did you mean @require?", 6),
        ("#@require(n >)", "invalid syntax", 18),
        ("#@timeout(soon)", "number of seconds", 6),
        ("#@timeout(-1)", "above 0", 6),
        ("#@cc_example([1])", "above a constructor", 6),
        ("#@arg n: ints()", "write @arg(NAME): CONSTRAINT", 6),
        ("#@arg(n):", "a constraint is missing", 6),
        ("#@generator(1)", "@generator takes nothing", 6),
        ("#@returns ints()", "write @returns: CONSTRAINT", 6),
    ],
)
def test_problems_say_what_and_where(line, problem, column):
    source = f"class C:\n    {line}\n    def m(self, n): ...\n"
    (found,) = read(source).problems
    assert problem in found.problem
    assert (found.span.line, found.span.column, found.function) == (2, column, "C.m")


def test_place_in_a_continued_annotation_is_its_own_line():
    source = "#@arg(n): anys(ints(),\n#    intz())\ndef f(n): ...\n"
    (found,) = read(source).problems
    assert (found.span.line, found.span.column) == (2, 6)
    assert source.splitlines()[1][5:9] == "intz"


def test_same_argument_twice_is_a_problem():
    source = "#@arg(n): ints()\n#@arg(n): bools()\ndef f(n): ...\n"
    assert "already" in read(source).problems[0].problem


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("#@require(m > 3)", "there is no 'm' here"),
        ("#@require(n > LEAST and len(n) == MOST)", "there is no 'MOST' here"),
        ("#@require(result > n)", "there is no 'result' here"),
        ("#@ensure(results > n)", "there is no 'results' here; did you mean result?"),
        ("#@arg(n): objs(nets)", "nets is no generator: mark it with #@generator"),
        ("#@arg(n): objs(netz)", "there is no 'netz' here"),
        ("#@arg(n): anys(1, froms([LEST]))", "there is no 'LEST' here"),
    ],
)
def test_names_that_mean_nothing_are_problems(line, problem):
    source = f"LEAST = 3\ndef nets(): ...\n{line}\ndef f(n): ...\n"
    (found,) = read(source).problems
    assert problem in found.problem
    assert found.span.line == 3


@pytest.mark.parametrize(
    "line",
    [
        "#@require(all(m > n for m in range(n)))",
        "#@require((lambda k: k)(n) == LEAST)",
        "#@ensure(old(n) == result and finite(result) and self is None)",
        "#@arg(n): objs(made)",
        "#@arg(n): froms([LEAST, os.sep, inf])",
    ],
)
def test_names_that_mean_something_are_none(line):
    source = f"import os\nLEAST = 3\n#@generator\ndef made(): ...\n{line}\ndef f(n): ...\n"
    assert read(source).problems == []
    assert not read("from all import *\n#@require(whatever > n)\ndef f(n): ...\n").problems


def test_comments_of_others_are_none():
    source = "#@title A notebook cell\n#@param {type: 'slider'}\n# @todo later\ndef f(n): ...\n"
    assert read(source).problems == []


def test_decorators_do_nothing_and_know_every_constraint(monkeypatch):
    monkeypatch.setitem(sys.modules, "assayer_annotations", decorators)
    package = importlib.import_module("assayer_annotations")

    @package.arg("n", package.ints(min=1))
    @package.require(lambda n: n > 0)
    @package.ensure("result > n")
    @package.returns(package.ints())
    @package.timeout(3)
    @package.generator
    @package.exclude
    def above(n):
        return n + 1

    assert above(2) == 3
    assert repr(package.anys(1, package.ints(min=2))) == "anys(1, ints(min=2))"
    assert all(callable(getattr(package, kind)) for kind in KINDS)
