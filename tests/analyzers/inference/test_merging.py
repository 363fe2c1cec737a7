"""Facts of several sources put together."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.guest.annotations.syntax import parse, render
from analyzers.inference.constraints.lattice import admits, join, meet
from analyzers.inference.facts import (
    Confidence,
    ConstraintSource,
    InferredConstraint,
    InferredRequirement,
)
from analyzers.inference.merging import merge_facts

TEXTS = (
    "ints()", "ints(min=1)", "ints(min=0, max=8)", "ints(min=5, max=5)", "ints(multiple_of=4)",
    "floats()", "floats(min=0, max=1, exclude_min=True)", "floats(max=0.5)", "bools()",
    "anys(ints(min=1), floats(min=0, exclude_min=True))", "froms([1, 2, 4])", "froms([None])",
    'froms(["a", "b"])', "strings()", "strings(min_len=2)", "paths()", "lists()",
    "int_lists(min_len=2, max_len=4, min=1)", "float_lists()", "lists(elements=strings())",
    "tuples(ints(), ints())", "tuples(floats(min=0, max=1), ints())", "tensors()",
    'tensors(dtype="float32", shape=("b", 3, "h", "w"))', 'tensors(shape=("...", "c"))',
    'np_arrays(shape=("n", ints(min=2, max=9)), min=0)', 'tensors(shape=("B", "C"), max=1)',
    'anys(ints(min=1, max=3), tuples(ints(), ints()), None)', "callables()", "modules()",
    'dicts(keys=strings(), values=ints())', "configs(lr=floats(min=0))", "images(form=\"pil\")",
)  # fmt: skip
VALUES = (0, 1, 4, 5, 0.25, 1.0, True, None, "a", "ab", [1, 2], [0.5], ["x"], (1, 2), (0.5, 3))
facts = st.lists(
    st.builds(
        InferredConstraint,
        st.sampled_from(["x", "y"]),
        st.sampled_from(TEXTS).map(parse),
        st.sampled_from(
            [source for source in ConstraintSource if source != ConstraintSource.GIVEN]
        ),
        st.sampled_from([Confidence.GUESS, Confidence.LIKELY, Confidence.STRONG]),
    ),
    max_size=6,
)


def fact(text, source, confidence=Confidence.LIKELY, parameter="x"):
    return InferredConstraint(parameter, parse(text), source, confidence)


def only(*given, parameter="x"):
    found = merge_facts(given).arguments.get(parameter)
    return None if found is None else (render(found.constraint), found.confidence)


@given(facts)
@settings(max_examples=300, derandomize=True, deadline=None)
def test_whatever_is_merged_can_be_written_and_read(given):
    for inferred in merge_facts(given).arguments.values():
        assert parse(render(inferred.constraint)) == inferred.constraint


@given(facts)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_a_strong_guard_is_never_left(given):
    guard = fact("froms([1, 2, 4])", ConstraintSource.GUARD, Confidence.STRONG)
    found = merge_facts(
        [*(f for f in given if f.source != ConstraintSource.HINT), guard]
    ).arguments.get("x")
    if found is not None and found.confidence > Confidence.GUESS:
        assert any(admits(found.constraint, value) for value in (1, 2, 4))


def test_branches_never_narrow_declared_choices():
    declared = fact('froms(["none", "mean", "sum"])', ConstraintSource.HINT, Confidence.STRONG)
    for source in (ConstraintSource.GUARD, ConstraintSource.CALLEE):
        compared = fact('froms(["mean", "sum"])', source)
        assert only(declared, compared) == ('froms(["none", "mean", "sum"])', Confidence.STRONG)


def test_docstring_against_inferred_shape_is_a_guess():
    followed = fact(
        'tensors(dtype="float32", shape=("b", "d"))', ConstraintSource.SHAPE, Confidence.STRONG
    )
    told = fact('tensors(dtype="float32", shape=("t", "n", 29))', ConstraintSource.DOCSTRING)
    assert only(followed)[1] == Confidence.STRONG
    assert only(followed, told)[1] == Confidence.GUESS


def test_docstring_stands_before_a_rank_that_was_guessed():
    followed = fact("tensors(dtype='float32', shape=('b', 'd'))", ConstraintSource.SHAPE)
    documented = fact("tensors(shape=('n',))", ConstraintSource.DOCSTRING)
    hint = fact("tensors()", ConstraintSource.HINT)
    told = "tensors(dtype=\"float32\", shape=('n',))"
    told, confidence = only(hint, followed, documented)
    assert (parse(told)["shape"], confidence) == (documented.constraint["shape"], Confidence.GUESS)
    sure = replace(followed, confidence=Confidence.STRONG)
    assert only(hint, sure, documented) == (told, Confidence.GUESS)
    asserted = fact("tensors(shape=('_',))", ConstraintSource.GUARD)
    assert parse(only(hint, sure, asserted)[0])["shape"] == asserted.constraint["shape"]


def test_known_calls_leave_both_values_to_what_is_typed_a_flag():
    hint = fact("bools()", ConstraintSource.HINT, Confidence.STRONG)
    called = fact("froms([False])", ConstraintSource.CALL, Confidence.STRONG)
    assert only(hint, called) == ("bools()", Confidence.STRONG)
    assert only(called) == ("froms([False])", Confidence.STRONG)


def test_names_never_narrow_calls():
    called = fact("froms([1, 3, 4])", ConstraintSource.CALL, Confidence.STRONG)
    named = fact("ints(min=1, max=2)", ConstraintSource.NAME)
    hint = fact("ints()", ConstraintSource.HINT, Confidence.STRONG)
    assert only(hint, called, named) == only(hint, called)


@pytest.mark.parametrize("left", TEXTS)
def test_what_two_constraints_share_both_admit(left):
    for right in TEXTS:
        _check_shared(left, right)


def _check_shared(left, right):
    met = meet(parse(left), parse(right))
    for value in VALUES:
        if met is not None and admits(met, value) and not isinstance(value, (list, tuple)):
            assert admits(parse(left), value) or isinstance(value, str)
            assert admits(parse(right), value) or isinstance(value, (int, float, str))


@pytest.mark.parametrize("left", TEXTS)
def test_a_join_admits_what_either_does(left):
    for right in TEXTS:
        _check_around(left, right)


def _check_around(left, right):
    around = join(parse(left), parse(right))
    assert parse(render(around)) == around
    for value in VALUES:
        if admits(parse(left), value):
            assert admits(around, value)


def test_a_hint_and_a_guard_together_are_strong():
    found = only(
        fact("ints()", ConstraintSource.HINT),
        fact(
            "anys(ints(min=1), floats(min=0, exclude_min=True))",
            ConstraintSource.GUARD,
            Confidence.STRONG,
        ),
    )
    assert found == ("ints(min=1, max=16)", Confidence.STRONG)


def test_a_guard_alone_says_no_type():
    bound = "anys(ints(min=1), floats(min=0, exclude_min=True))"
    assert only(fact(bound, ConstraintSource.GUARD, Confidence.STRONG)) == (
        "ints(min=1, max=16)",
        Confidence.GUESS,
    )


def test_examples_widen_to_a_range_inside_of_the_guard():
    found = only(
        fact("ints(min=3, max=3)", ConstraintSource.CALL),
        fact("ints(min=64, max=64)", ConstraintSource.TEST),
        fact("anys(ints(max=32), floats(max=32))", ConstraintSource.GUARD, Confidence.STRONG),
    )
    assert found[0] == "ints(min=3, max=32)"


def test_one_recorded_value_stays_as_sure_as_it_was():
    found = only(
        fact("ints(min=3, max=3)", ConstraintSource.TEST, Confidence.STRONG),
        fact("ints()", ConstraintSource.HINT),
    )
    assert found == ("ints(min=3, max=3)", Confidence.STRONG)


def test_several_recorded_values_are_a_likely_range():
    found = only(
        fact("ints(min=3, max=3)", ConstraintSource.TEST, Confidence.STRONG),
        fact("ints(min=9, max=9)", ConstraintSource.TEST, Confidence.STRONG),
    )
    assert found == ("ints(min=3, max=9)", Confidence.LIKELY)


def test_equally_sure_sources_at_odds_leave_a_guess():
    found = only(
        fact("strings()", ConstraintSource.HINT, Confidence.STRONG),
        fact("ints(min=1, max=2)", ConstraintSource.GUARD, Confidence.STRONG),
    )
    assert found == ("strings()", Confidence.GUESS)


def test_the_surer_of_two_at_odds_stands():
    found = only(
        fact("froms([1, 2])", ConstraintSource.GUARD, Confidence.STRONG),
        fact("strings(min_len=1)", ConstraintSource.DOCSTRING),
    )
    assert found == ("froms([1, 2])", Confidence.STRONG)


def test_a_default_with_nothing_but_guesses_is_kept():
    assert only(
        fact("ints(min=4, max=8)", ConstraintSource.DEFAULT, Confidence.GUESS),
        fact("ints(min=1, max=4)", ConstraintSource.NAME, Confidence.GUESS),
    ) is None  # fmt: skip


def test_none_is_valid_where_it_is_the_default_and_not_refused():
    given = (
        fact("ints(min=1, max=4)", ConstraintSource.HINT),
        fact("froms([None])", ConstraintSource.DEFAULT),
    )
    assert only(*given) == ("anys(ints(min=1, max=4), None)", Confidence.LIKELY)
    refused = InferredRequirement("x is not None", ConstraintSource.GUARD, Confidence.STRONG)
    assert only(*given, refused) == ("ints(min=1, max=4)", Confidence.LIKELY)
    assert merge_facts([*given, refused]).requires == ()


def test_what_a_person_wrote_stands():
    found = only(
        fact("ints(min=7, max=9)", ConstraintSource.GIVEN, Confidence.CERTAIN),
        fact("strings()", ConstraintSource.HINT, Confidence.STRONG),
    )
    assert found == ("ints(min=7, max=9)", Confidence.CERTAIN)


def test_names_of_dimensions_are_those_of_the_surest_source():
    facts = [
        fact(
            'tensors(dtype="float32", shape=("b", "c"))', ConstraintSource.HINT, Confidence.STRONG
        ),
        fact('tensors(shape=("N", "D"))', ConstraintSource.DOCSTRING),
        fact('tensors(shape=("N", 4))', ConstraintSource.DOCSTRING, parameter="y"),
    ]
    assert only(*facts, parameter="y")[0] == 'tensors(shape=("b", 4))'


def test_a_size_that_is_known_once_is_known_of_the_name():
    facts = [
        fact('tensors(shape=("b", "c"))', ConstraintSource.DOCSTRING),
        fact('tensors(shape=("_", 3))', ConstraintSource.GUARD),
        fact('tensors(shape=("c", "d"))', ConstraintSource.DOCSTRING, parameter="w"),
    ]
    assert only(*facts, parameter="w")[0] == 'tensors(shape=(3, "d"))'


def test_an_array_without_a_shape_is_a_guess():
    assert only(fact("tensors()", ConstraintSource.HINT)) == ("tensors()", Confidence.GUESS)


def test_a_shape_is_taken_over_from_another_library():
    found = only(
        fact("tensors()", ConstraintSource.HINT),
        fact('np_arrays(dtype="float32", shape=("n", 2))', ConstraintSource.DOCSTRING),
    )
    assert found == ('tensors(dtype="float32", shape=("n", 2))', Confidence.LIKELY)


def test_an_array_without_a_dtype_is_a_guess_unless_a_hint_allows_any():
    shaped = 'tensors(shape=("n", 2))'
    assert only(fact(shaped, ConstraintSource.DOCSTRING)) == (shaped, Confidence.GUESS)
    assert only(fact(shaped, ConstraintSource.HINT, Confidence.STRONG)) == (
        shaped,
        Confidence.STRONG,
    )


def test_constraints_that_have_a_kind_of_their_own_meet():
    left, right = parse('paths(kind="file")'), parse('paths(kind="file", suffix=".pt")')
    assert meet(left, right) == right
