"""A least score: where it stands in the code, and how far it is lowered."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.cloud.repairs.score_cutoff import (
    BranchScore,
    ScoredObservation,
    choose,
    least_score,
    passing,
)
from analyzers.guest.instrumentation.goals import decisions
from analyzers.vocabulary import Suggestion
from worker.executor.execution_context import apply_suggestion


def least_of(source, field="score"):
    return least_score(source, decisions(source)[0], field)


def lowered(condition, score, before="", field="score"):
    source = f"{before}if {condition}:\n    pass\n"
    least = least_of(source, field)
    if least is None:
        return None
    edit = least.lowered(score)
    changed = Suggestion("app.py", edit.start_line, edit.end_line, edit.replacement)
    return apply_suggestion(source, changed).removesuffix(":\n    pass\n").replace("\nif ", "\n")


@pytest.mark.parametrize(
    ("condition", "field", "after"),
    [
        ("x.score > 0.9 and x.name == 'é'", "score", "x.score > 0.6 and x.name == 'é'"),
        ("x.name == 'é' and 0.90 <= x.score", "score", "x.name == 'é' and 0.6 <= x.score"),
        ("x['Confidence'] >= 90", "Confidence", "x['Confidence'] >= 0.6"),
        ("any(x.score > .9 for x in y)", "score", "any(x.score > 0.6 for x in y)"),
        ("x.score > 0.9 > y.score", "score", None),
        ("x.score < 0.9", "score", None),
        ("x.score > 0.9 or y.score > 0.8", "score", None),
        ("x.score > limit()", "score", None),
        ("x.size > 0.9", "score", None),
    ],
)
def test_only_the_number_is_rewritten(condition, field, after):
    found = lowered(condition, 0.6, field=field)
    assert found == (None if after is None else f"if {after}")


def test_named_number_is_rewritten_where_it_stands():
    assert lowered("x.score > LEAST", 0.6, "LEAST = 0.9  # sure\n") == (
        "LEAST = 0.6  # sure\nx.score > LEAST"
    )


@pytest.mark.parametrize("more", ["print(LEAST)\n", "LEAST = 0.8\n", "LEAST -= 0.1\n"])
def test_number_with_other_uses_is_left_alone(more):
    assert lowered("x.score > LEAST", 0.6, f"LEAST = 0.9\n{more}") is None


def test_unparsable_source_has_no_number():
    decision = decisions("if x.score > 0.9: pass\n")[0]
    assert least_score("if x.score > 0.9: pass\nprint 1\n", decision, "score") is None


STRICT = least_of("if x.score > 0.9: pass\n")
INCLUSIVE = least_of("if x.score >= 90: pass\n")


def meant(*scores):
    return [ScoredObservation((), True, score > STRICT.score, (score,)) for score in scores]


def unmeant(*scores):
    return [ScoredObservation((), False, score > STRICT.score, (score,)) for score in scores]


def test_greatest_score_that_suffices_is_chosen():
    assert choose(meant(0.95, 0.84, 0.73, 0.41), STRICT, 0.75) == 0.7


def test_score_is_lowered_as_far_as_it_helps():
    assert choose([*meant(0.95, 0.84), ScoredObservation((), True, False)], STRICT, 0.75) == 0.8


def test_strict_comparison_needs_a_lower_number():
    assert choose(meant(0.95, 0.8), STRICT, 0.75) == 0.75
    inputs = [
        ScoredObservation((), True, False, (80.0,)),
        ScoredObservation((), True, True, (95.0,)),
    ]
    assert choose(inputs, INCLUSIVE, 0.75) == 80


def test_score_that_lowers_f1_is_not_chosen():
    assert choose([*meant(0.95, 0.94, 0.5), *unmeant(*[0.6] * 9)], STRICT, 0.75) is None


def test_score_that_all_have_needs_no_change():
    assert choose(meant(0.95, 0.97), STRICT, 0.75) is None
    assert choose([ScoredObservation((), True, False)], STRICT, 0.75) is None


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            lambda is_meant, score: ScoredObservation((), is_meant, score > 0.9, (score,)),
            st.booleans(),
            st.floats(0.01, 1),
        ),
        max_size=12,
    )
)
def test_chosen_score_raises_recall_and_keeps_f1(observations):
    score = choose(observations, STRICT, 0.75)
    if score is None:
        return
    before, after = BranchScore.of(observations), BranchScore.of(passing(observations, score))
    assert score < STRICT.score
    assert after.recall > before.recall
    assert after.f1 >= before.f1
