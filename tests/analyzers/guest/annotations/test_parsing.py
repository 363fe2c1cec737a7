"""Constraints are read, refused with their place, and written as they are read."""

import pytest

from analyzers.guest.annotations.constraints import KINDS, Constraint, Expression, Span
from analyzers.guest.annotations.syntax import AnnotationError, parse, render

RIGHT = [
    "bools()",
    "ints()",
    "ints(min=2, max=22)",
    "floats(min=0, max=1, exclude_min=True)",
    "floats(allow_nan=True, allow_inf=True, width=32)",
    "tuples(ints(min=20, max=70), ints(min=20, max=70), ints(min=1, max=3))",
    "int_lists(min_len=2, max_len=5, min=2, max=5)",
    "anys(-1, ints(min=1, max=5), int_lists(min_len=2, max_len=5, min=2, max=5))",
    "froms([0, 0.0, None, zero()])",
    'dicts(keys=froms(["input_shape"]), values=np_shapes(min_dims=1, max_dims=1))',
    "objs(gan_gens)",
    'np_arrays(dtype="uint32", shape=(256, 256, 3))',
    'tensors(dtype="float32", shape=("b", 3, ints(min=8, max=64), "w"), min=-1, max=1)',
    'tensors(shape="*batch 2*n h//2", requires_grad=True, contiguous=bools())',
    'tensors(dtype=["float32", "float64"], shape=np_shapes(min_dims=3))',
    'modules(in="b 3 h w", out="b k")',
    'datasets(tuples(tensors(shape="3 8 8"), ints(min=0, max=9)), min_len=1)',
    "configs(of=Config, lr=floats(min=0), depth=ints(min=1))",
    "callables(returns=floats())",
    'paths(kind="image", suffix=".png")',
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_read_is_written_the_same(text):
    assert render(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("ints(min_value=1, max_value=3)", "ints(min=1, max=3)"),
        ("ints(1, 3)", "ints(min=1, max=3)"),
        ("lists(elements=ints(), min_size=2)", "lists(elements=ints(), min_len=2)"),
        ('np_arrays(np_type=dtype("uint32"), shape=(2,))', 'np_arrays(dtype="uint32", shape=(2,))'),
        ("tensors(dtype=torch.float32)", "tensors(dtype='float32')"),
        ("arrays(shape=(3,))", "np_arrays(shape=(3,))"),
        ("-1", "froms([-1])"),
        ("(ints(), 3)", "tuples(ints(), 3)"),
        ("an.ints(min=1)", "ints(min=1)"),
        ('modules(in_="b 3")', 'modules(in="b 3")'),
    ],
)
def test_other_spellings_mean_the_same(text, plain):
    assert render(parse(text)) == plain


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [
        ("intz(3)", "there is no constraint 'intz'; did you mean ints?", 1),
        ("ints(min=5, max=3)", "min is above max: no value meets it", 10),
        ("anys(ints(), floats(mn=3))", "floats takes no mn", 21),
        ("ints(min=1.5)", "min must be an integer", 10),
        ("floats(min=1, max=1, exclude_max=True)", "no value meets it", 12),
        ("lists(ints(), min_len=-1)", "min_len must be a whole number from 0", 23),
        ('tensors(shape="b c h! w")', "'h!' is no dimension", 15),
        ('tensors(dtype="float31")', "there is no dtype 'float31'", 15),
        ('tensors(values="nice")', "values must be one of", 16),
        ("froms()", "froms needs values", 1),
        ("froms([])", "nothing to choose from", 7),
        ("ints(1, 2, 3, 4)", "takes at most 3", 15),
        ("ints(min=1, min_value=2)", "min is given twice", 23),
        ("ints(", "was never closed", 5),
        ("ints(min=10, max=11, multiple_of=7)", "no multiple of 7", 34),
        ("ints", "write ints(...)", 1),
        ("objs(**{})", "** cannot be used here", 8),
        ("floats(width=12)", "width must be 16, 32 or 64", 14),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_where_it_is(text, problem, column):
    with pytest.raises(AnnotationError) as wrong:
        parse(text)
    assert problem in wrong.value.problem
    assert (wrong.value.span.line, wrong.value.span.column) == (1, column)


def test_places_are_counted_in_lines_too():
    with pytest.raises(AnnotationError) as wrong:
        parse("anys(ints(),\n     intz())")
    assert wrong.value.span == Span(2, 6, 2, 10)


def test_every_kind_says_what_it_is():
    assert all(kind.says for kind in KINDS.values())


def test_literal_values_are_known_and_others_stay_expressions():
    assert parse("ints(min=-3)").value("min") == -3
    assert parse("ints(min=LEAST)").value("min", "unknown") == "unknown"
    assert parse("ints(min=LEAST)")["min"] == Expression("LEAST")
    assert parse("objs(make)") == Constraint("objs", (("generator", Expression("make")),))


def test_depth_is_no_danger():
    with pytest.raises(AnnotationError):
        parse("anys(" * 5000 + "1" + ")" * 5000)
