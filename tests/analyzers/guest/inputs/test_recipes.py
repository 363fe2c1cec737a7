"""Recipes: what is one, that it is read as it is written, and what it makes."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.guest.inputs.recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    NameRecipe,
    PairsRecipe,
    Recipe,
    evaluate,
    literal,
    makers,
    names,
    parse,
)

_PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=8)
    | st.just(...)
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda part: complex(0, part))
)
_NAMES = st.sampled_from(["Net", "a.b.C", "_make", "tensor", "config"])


def _larger(inside: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    items = st.lists(inside, max_size=3).map(tuple)
    pairs = st.lists(st.tuples(inside, inside), max_size=3).map(tuple)
    keywords = st.dictionaries(st.sampled_from(["n", "low", "_x"]), inside, max_size=2)
    return st.one_of(
        st.builds(DisplayRecipe, st.sampled_from(["tuple", "list"]), items),
        st.builds(
            DisplayRecipe, st.just("set"), st.lists(inside, min_size=1, max_size=3).map(tuple)
        ),
        st.builds(PairsRecipe, pairs),
        st.builds(CallRecipe, _NAMES, items, keywords.map(lambda named: tuple(named.items()))),
    )


recipes = st.recursive(_PLAIN.map(LiteralRecipe) | _NAMES.map(NameRecipe), _larger, max_leaves=12)


@settings(max_examples=100, database=None, derandomize=True, deadline=None)
@given(recipes)
def test_recipe_is_read_as_it_is_written(recipe):
    assert parse(recipe.source()) == recipe


@settings(max_examples=100, database=None, derandomize=True, deadline=None)
@given(st.recursive(_PLAIN, lambda x: st.lists(x, max_size=3) | st.tuples(x, x), max_leaves=8))
def test_literal_makes_the_value_itself(value):
    assert repr(evaluate(parse(literal(value).source()), {})) == repr(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x +",
        "1 + 2",
        "+1",
        "--1",
        "-True",
        "-'a'",
        "-x",
        "~1",
        "not x",
        "x and y",
        "x < 1",
        "lambda: 0",
        "[i for i in x]",
        "{i: i for i in x}",
        "(i for i in x)",
        "f'{x}'",
        "x[0]",
        "x if y else z",
        "(y := 1)",
        "[*x]",
        "{**x}",
        "f(*x)",
        "f(**x)",
        "f()()",
        "f().g",
        "f().g()",
        "''.join",
        "(1).real",
        "[].append",
        "x.__class__",
        "__import__('os')",
        "a.__b.c",
        "f(__x=1)",
        "await x",
        "inf()",
        "x; y",
        "x = 1",
        "a.b.c.d.e.f.g.h.i",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(BadRecipe):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + ")" * 5000,
        "[" * 150 + "]" * 150,
        "f(" * 60 + ")" * 60,
        "-" * 19_000 + "1",
        "a" + ".a" * 9_000,
        "x" * 20_001,
        "9" * 19_000,
        "[" + "1," * 12_000 + "]",
        "\0",
        "'" + "\\N{" * 100,
    ],
)
def test_what_is_too_large_is_refused(text):
    with pytest.raises(BadRecipe):
        parse(text)


def test_names_and_makers_are_told_apart():
    recipe = parse("Net(a.b, tensor((2, 3)), key=[config(of=Options), make()])")
    assert names(recipe) == {"Net", "a.b", "Options", "make"}
    assert makers(recipe) == {"tensor", "config"}


def test_each_making_is_a_new_value():
    recipe = parse("{'a': [1, 2], 'b': (3,)}")
    first = evaluate(recipe, {})
    first["a"].append(9)
    assert evaluate(recipe, {}) == {"a": [1, 2], "b": (3,)}


def test_files_own_names_are_called():
    namespace = {"make": lambda n, *, by=1: n * by, "math": math}
    assert evaluate(parse("make(3, by=make(4))"), namespace) == 12
    assert evaluate(parse("math.pi"), namespace) == math.pi


def test_a_missing_name_is_a_name_error():
    with pytest.raises(NameError):
        evaluate(parse("missing()"), {})


def test_true_is_not_one_and_zero_has_a_sign():
    assert LiteralRecipe(True) != LiteralRecipe(1) != LiteralRecipe(1.0)
    assert LiteralRecipe(0.0) != LiteralRecipe(-0.0)
    assert LiteralRecipe(math.nan) == LiteralRecipe(math.nan)


@pytest.mark.parametrize("value", [object(), 1 + 2j, set(), len, math])
def test_what_has_no_literal_is_said(value):
    with pytest.raises(BadRecipe):
        literal(value)


def test_objects_of_other_files_and_of_libraries_are_imported(tmp_path, monkeypatch):
    folder = tmp_path / "tests" / "shared"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "sizes.py").write_text("WIDTH = 3\n")
    (folder / "nets.py").write_text(
        "from .sizes import WIDTH\n\ndef wide(n):\n    return WIDTH * n\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert evaluate(parse("constructed('tests/shared/nets.py', 'wide', 2)"), {}) == 6
    same = evaluate(parse("imported('tests/shared/nets.py', 'wide')"), {})
    assert same is evaluate(parse("imported('tests/shared/nets.py', 'wide')"), {})
    assert evaluate(parse("constructed('fractions', 'Fraction.from_float', 0.5)"), {}) == 0.5
