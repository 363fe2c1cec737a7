"""Label changes: which labels, and how the condition reads with them."""

from __future__ import annotations

import ast
import textwrap
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.cloud.conditions.condition_lint import lint_condition
from analyzers.cloud.repairs.labels.label_additions import rewrite
from analyzers.cloud.repairs.score_cutoff import BranchScore, Observation, expand_labels, halves
from analyzers.cloud.source_edits import LineEdit
from analyzers.guest.instrumentation.goals import decisions

# ------------------------------------------------------------ which labels

FAMILY = {"fire", "flame", "ash", "smoke"}


def related(one: str, other: str) -> bool:
    return {one.lower(), other.lower()} <= FAMILY


def seen(*labels: str, meant: bool = True, reached: bool = False) -> Observation:
    return Observation(labels, meant, reached)


def test_most_helpful_label_is_added_first():
    observations = [
        seen("Fire", reached=True),
        seen("Flame", "Heat"),
        seen("Flame"),
        seen("Ash"),
        seen("Tree", meant=False),
    ]
    assert expand_labels(observations, ["fire"], 0.9, related) == ("Flame", "Ash")


def test_expansion_stops_at_the_threshold():
    observations = [seen("Fire", reached=True), seen("Flame"), seen("Flame"), seen("Ash")]
    assert expand_labels(observations, ["fire"], 0.75, related) == ("Flame",)


def test_label_that_lowers_f1_is_left_out():
    observations = [
        seen("Fire", reached=True),
        seen("Smoke"),
        *(seen("Smoke", meant=False) for _ in range(5)),
    ]
    assert expand_labels(observations, ["fire"], 0.75, related) == ()


def test_unrelated_label_is_left_out():
    observations = [seen("Fire", reached=True), seen("Amber"), seen("Amber")]
    assert expand_labels(observations, ["fire"], 0.75, related) == ()


def test_known_label_is_not_offered():
    assert expand_labels([seen("FIRE"), seen("fire")], ["Fire"], 0.75, related) == ()


def test_reached_branch_needs_nothing():
    assert expand_labels([seen("Fire", reached=True)], ["fire"], 0.75, related) == ()


@given(
    st.lists(
        st.builds(
            Observation,
            st.lists(st.sampled_from(["Fire", "Flame", "Ash", "Smoke", "Tree"])).map(tuple),
            st.booleans(),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_expansion_never_lowers_recall(observations):
    added = expand_labels(observations, ["fire"], 0.75, related)
    assert set(added) <= {"Flame", "Ash", "Smoke"}
    before, after = BranchScore.of(observations), BranchScore.of(observations, added)
    assert after.recall > before.recall if added else after == before
    assert after.f1 >= before.f1


def test_only_answers_that_were_seen_are_offered():
    observations = [seen("Fire", reached=True), seen("Flame"), seen("Tree"), seen("Sky")]
    found = expand_labels(observations, ["fire"], 0.9, lambda *_: True)
    assert set(found) == {"Flame", "Tree", "Sky"}


def test_standing_counts_the_added_labels():
    observations = [seen("Fire", reached=True), seen("flame"), seen("Flame", meant=False)]
    standing = BranchScore.of(observations, ["Flame"])
    assert standing == BranchScore(meant=2, hits=2, false_hits=1)
    assert (standing.recall, standing.precision) == (1.0, pytest.approx(2 / 3))


@given(st.lists(st.builds(Observation, st.just(()), st.booleans(), st.booleans()), max_size=12))
def test_halves_hold_every_observation_once(observations):
    chosen, checked = halves(observations)
    key = repr
    assert sorted(map(key, chosen + checked)) == sorted(map(key, observations))
    for meant in (True, False):
        sizes = [sum(o.meant is meant for o in half) for half in (chosen, checked)]
        assert 0 <= sizes[0] - sizes[1] <= 1


# ------------------------------------------------------- how it is written


def applied(source: str, edit: LineEdit) -> str:
    lines = source.split("\n")
    lines[edit.start_line - 1 : edit.end_line] = edit.replacement.split("\n")
    return "\n".join(lines)


def repaired(condition: str, original: str, *added: str) -> str | None:
    """The condition of an ``if`` after the labels were added."""
    source = f"def check(label, labels, text, x, d):\n    if {condition}:\n        return 1\n"
    edit = rewrite(source, decisions(source)[0], original, added)
    if edit is None:
        return None
    changed = applied(source, edit)
    ast.parse(changed)
    return changed.removeprefix("def check(label, labels, text, x, d):\n    if ").removesuffix(
        ":\n        return 1\n"
    )


FORMS = [
    ("label == 'Fire'", "label in ('Fire', 'Flame')"),
    ('label == "Fire"', 'label in ("Fire", "Flame")'),
    ("'Fire' == d.description", "d.description in ('Fire', 'Flame')"),
    ("label != 'Fire'", "label not in ('Fire', 'Flame')"),
    ("x.lower() == 'fire'", "x.lower() in ('fire', 'flame')"),
    ("x.upper() == 'FIRE'", "x.upper() in ('FIRE', 'FLAME')"),
    ("label == 'fire'", "label in ('fire', 'flame')"),
    ("'Fire' in labels", "'Fire' in labels or 'Flame' in labels"),
    ("'Fire' not in labels", "'Fire' not in labels and 'Flame' not in labels"),
    ("'fire' in x.lower()", "'fire' in x.lower() or 'flame' in x.lower()"),
    ("not 'Fire' in labels", "not ('Fire' in labels or 'Flame' in labels)"),
    ("'Fire' in labels and x", "('Fire' in labels or 'Flame' in labels) and x"),
    ("('Fire' in labels) and x", "('Fire' in labels or 'Flame' in labels) and x"),
    ("'Fire' in labels or x", "'Fire' in labels or 'Flame' in labels or x"),
    ("x and 'Fire' not in labels", "x and 'Fire' not in labels and 'Flame' not in labels"),
    ("label in ('Fire', 'Ash')", "label in ('Fire', 'Ash', 'Flame')"),
    ("label in ('Fire',)", "label in ('Fire', 'Flame')"),
    ("label in ['Fire', 'Ash',]", "label in ['Fire', 'Ash', 'Flame',]"),
    ("label in {'Fire'}", "label in {'Fire', 'Flame'}"),
    ("label in set(['Fire'])", "label in set(['Fire', 'Flame'])"),
    ("set(labels) & {'Fire'}", None),
    (
        "'Fire' in [d.description for d in labels]",
        "any(d.description in ('Fire', 'Flame') for d in labels)",
    ),
    (
        "'Fire' not in (d.description for d in labels if d.score > x)",
        "not any(d.description in ('Fire', 'Flame') for d in labels if d.score > x)",
    ),
    (
        "any(d.description == 'Fire' for d in labels)",
        "any(d.description in ('Fire', 'Flame') for d in labels)",
    ),
    (
        "any(w in text for w in ('Fire', 'Ash'))",
        "any(w in text for w in ('Fire', 'Ash', 'Flame'))",
    ),
    ("any(['Fire' in labels, x])", "any(['Fire' in labels or 'Flame' in labels, x])"),
    ("label.startswith('Fire') or x", "label.startswith(('Fire', 'Flame')) or x"),
    ("label == ('Fire')", "label in (('Fire', 'Flame'))"),
    ("x > 0.5 and label == 'Fire'", "x > 0.5 and label in ('Fire', 'Flame')"),
    ("label == 'Fire' or x == 'Fire'", "label in ('Fire', 'Flame') or x in ('Fire', 'Flame')"),
]


@pytest.mark.parametrize(("before", "after"), [form for form in FORMS if form[1]])
def test_form_takes_one_more_label(before, after):
    assert repaired(before, "Fire", "Flame") == after


@pytest.mark.parametrize(
    "condition",
    [
        "ask(x, 'Fire') or x == 1",
        "x['Fire'] > 0.5",
        "'Fire' in ask(x)",
        "labels == ['Fire']",
        "all(w in text for w in ('Fire', 'Ash'))",
        "any(w not in text for w in ('Fire', 'Ash'))",
        "{'Fire'} <= set(labels)",
        "'a' < label == 'Fire'",
        "label in ('Fire', 'Flame')",
        "x == 'Ash'",
        "label in 'Fire'",
        "f'{label} Fire' == x",
    ],
)
def test_other_forms_are_left_alone(condition):
    assert repaired(condition, "Fire", "Flame") is None


def test_many_labels_are_asked_in_a_loop():
    assert repaired("'Fire' in labels", "Fire", "Flame", "Ash", "Smoke") == (
        "any(word in labels for word in ('Fire', 'Flame', 'Ash', 'Smoke'))"
    )


def test_label_is_found_in_any_case():
    assert repaired("x.lower() == 'fire'", "Fire", "Flame") == "x.lower() in ('fire', 'flame')"


def test_label_with_a_quote_is_escaped():
    assert repaired("label == 'Fire'", "Fire", "Crow's nest") == (
        """label in ('Fire', "Crow's nest")"""
    )


def test_long_condition_is_broken():
    names = ["Fire engine siren", "Burning building", "Volcanic eruption", "Campfire in the woods"]
    after = repaired("label == 'Fire'", "Fire", *names)
    assert after is not None
    assert after.startswith("label in (\n        'Fire', 'Fire engine siren',")
    assert after.endswith(",\n    )")
    assert max(map(len, after.split("\n"))) <= 88


def rewritten(source: str, original: str, *added: str, which: int = 0) -> str | None:
    source = textwrap.dedent(source)
    edit = rewrite(source, decisions(source)[which], original, added)
    return None if edit is None else applied(source, edit)


def test_comments_and_layout_stay():
    assert rewritten(
        """\
        def check(d):
            if (d.label  ==  'Fire'  # a flame, too?
                    and d.score > .5):
                return 1  # yes
        """,
        "Fire",
        "Flame",
    ) == textwrap.dedent(
        """\
        def check(d):
            if (d.label  in  ('Fire', 'Flame')  # a flame, too?
                    and d.score > .5):
                return 1  # yes
        """
    )


def test_one_item_a_line_stays_so():
    assert rewritten(
        """\
        if label in (
            "Fire",
            "Ash",  # grey
        ):
            pass
        """,
        "Fire",
        "Flame",
    ) == textwrap.dedent(
        """\
        if label in (
            "Fire",
            "Flame",
            "Ash",  # grey
        ):
            pass
        """
    )


def test_named_constant_is_widened():
    assert rewritten(
        """\
        HOT = frozenset({"Fire"})

        def check(label):
            return label in HOT
        """,
        "Fire",
        "Flame",
    ) == textwrap.dedent(
        """\
        HOT = frozenset({"Fire", "Flame"})

        def check(label):
            return label in HOT
        """
    )


def test_shared_constant_is_left_alone():
    source = 'HOT = ["Fire"]\ndef check(label):\n    return label in HOT\nprint(HOT)\n'
    assert rewritten(source, "Fire", "Flame") is None


def test_windows_lines_are_kept():
    source = "def check(x):\r\n    return (x == 'Fire'\r\n            or x == 1)\r\n"
    edit = rewrite(source, decisions(source)[0], "Fire", ["Flame"])
    assert edit == LineEdit(2, 2, "    return (x in ('Fire', 'Flame')")


def test_wide_characters_do_not_shift():
    assert rewritten("if 'é🔥' in d or x == 'Fire': pass\n", "Fire", "Flame") == (
        "if 'é🔥' in d or x in ('Fire', 'Flame'): pass\n"
    )


def test_unparsable_source_is_left_alone():
    decision = decisions("if x == 'Fire': pass\n")[0]
    assert rewrite("if x == 'Fire': pass\nprint 1\n", decision, "Fire", ["Flame"]) is None


WORDS = ["Fire", "Flame", "Ash", "Tree", "Smoke", "Lava"]


@given(
    st.sampled_from([form[0] for form in FORMS if form[1]]),
    st.sampled_from([("Flame",), ("Flame", "Ash"), ("Flame", "Smoke", "Lava")]),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=5),
)
def test_rewritten_condition_means_original_or_added(before, added, words):
    """An answer does what it did when each added label in it was the original."""
    after = repaired(before, "Fire", *added)
    assert after is not None
    lower = before == "label == 'fire'"

    def ask(condition: str, words: list[str]) -> bool:
        word, other, *rest = [word.lower() for word in words] if lower else words
        entries = [SimpleNamespace(description=w, score=1) for w in rest]
        scope = {
            "label": word,
            "labels": entries if "for d in" in before else rest,
            "text": rest,
            "x": other if "x." in before or "x ==" in before else 0,
            "d": SimpleNamespace(description=word),
        }
        return bool(eval(condition, scope))

    as_original = ["Fire" if word in added else word for word in words]
    assert ask(after, words) == ask(before, as_original)


# -------------------------------------------------------- constant conditions


def linted(source: str, which: int = -1):
    source = textwrap.dedent(source)
    return source, lint_condition(source, decisions(source)[which])


@pytest.mark.parametrize(
    ("condition", "outcome", "meant"),
    [
        ("x == 'dog' or 'animal'", True, "x in ('dog', 'animal')"),
        ("x == 'dog' or 'cat' or 'cow'", True, "x in ('dog', 'cat', 'cow')"),
        ("'dog' in labels or 'cat'", True, "'dog' in labels or 'cat' in labels"),
        ("'dog' or 'cat' in labels", True, "'dog' in labels or 'cat' in labels"),
        (
            "x == 'dog' or 'cat' or y == 'cow'",
            True,
            "x in ('dog', 'cat') or y == 'cow'",
        ),
        ("ask(x) or 'cat'", True, None),
        ("x == 'dog' and ''", False, None),
        ("not (x == 'dog' or 'cat')", False, None),
        ("x.lower() == 'Dog'", False, None),
        ("'DOG' in x.description.lower()", False, None),
        ("x != 'dog' or x != 'cat'", True, "x not in ('dog', 'cat')"),
        ("x == 'dog' and x == 'cat'", False, None),
        ("x.score > 0.5 and x.score < -0.5", False, None),
        ("0.5 < score < -0.5", False, None),
        ("score > -0.5 or score < 0.5", True, None),
        ("score >= 0.25 >= 1.0", False, None),
        ("'dog' in x.lower() and 'do' not in x.lower()", False, None),
    ],
)
def test_constant_condition_is_seen(condition, outcome, meant):
    source, found = linted(f"if {condition}:\n    pass\n")
    assert found is not None
    assert found.outcome is outcome
    assert found.reason
    fixed = None if found.rewrite is None else applied(source, found.rewrite)
    assert fixed == (None if meant is None else f"if {meant}:\n    pass\n")


@pytest.mark.parametrize(
    "condition",
    [
        "x == 'dog' or x == 'animal'",
        "x == 'dog' and 'animal'",
        "x == 'dog' or True",
        "x == 'dog' or y",
        "x and False",
        "True",
        "1",
        "'dog'",
        "0.25 <= score <= 1.0",
        "score > 0.5 or score < -0.5",
        "score >= 0.5 and score <= 0.5",
        "score > 0.5 and other < 0.5",
        "x == 'dog' and y == 'cat'",
        "x == 'dog' or x == 'cat'",
        "x != 'dog' and x != 'cat'",
        "next(x) == 'dog' and next(x) == 'cat'",
        "'dog' in labels and 'do' not in labels",
        "x == '1' and x == 1",
        "calories > '2500'",
        "x.lower() == 'dog'",
        "x.lower(1) == 'Dog'",
        "x.title() == 'Dog'",
        "(y := ask(x)) == 'a' and y == 'b'",
        "x > 1 < y",
    ],
)
def test_honest_condition_is_left_alone(condition):
    assert linted(f"if {condition}:\n    pass\n")[1] is None


@pytest.mark.parametrize("use", ["print({})", "return {}", "said = {}"])
def test_default_of_a_value_is_no_condition(use):
    text = "def f(x):\n    " + use + "\n"
    assert linted(text.format("x.text or '(none)'"))[1] is None
    assert linted(text.format("x == 'dog' or 'cat'"))[1] is not None


@pytest.mark.parametrize("condition", ["score >= 0.25 <= 1.0", "y and x > 1 < 2"])
def test_link_of_constants_is_constant_alone(condition):
    found = linted(f"if {condition}:\n    pass\n")[1]
    assert found is not None
    assert found.outcome
    assert found.clause == condition.count("and") + 1


@pytest.mark.parametrize(
    "chain",
    [
        "if 'MALE' in d.description:\n    a\nelif 'FEMALE' in d.description:\n    b\n",
        "t = d.text.upper()\nif 'MALE' in t:\n    a\nelif 'FEMALE' in t:\n    b\n",
        "if s > 0.2:\n    a\nelif s > 0.5:\n    b\n",
        "if s > 0.2:\n    a\nelif s < -0.2:\n    b\nelif s > 0.9 and e:\n    c\n",
        "if x == 'a' or x == 'b':\n    a\nelif x == 'b':\n    b\n",
    ],
)
def test_shadowed_branch_is_never_true(chain):
    _, found = linted(chain)
    assert found is not None
    assert found.outcome is False
    assert "asked before it" in found.reason
    assert found.rewrite is None


@pytest.mark.parametrize(
    "chain",
    [
        "if 'MALE' in labels:\n    a\nelif 'FEMALE' in labels:\n    b\n",
        "if 'FEMALE' in d.text:\n    a\nelif 'MALE' in d.text:\n    b\n",
        "if s > 0.5:\n    a\nelif s > 0.2:\n    b\n",
        "if s > 0.2 and e:\n    a\nelif s > 0.5:\n    b\n",
        "if s > 0.2:\n    a\nif s > 0.5:\n    b\n",
        "if s > 0.2:\n    a\nelse:\n    s = 3\n    if s > 0.5:\n        b\n",
        "if (s := ask()) > 0.2:\n    a\nelif s > 0.5:\n    b\n",
        "if s > 0.2:\n    a\nelif s <= 0.2:\n    b\n",
        "t = d.text\nt = labels\nif 'MALE' in t:\n    a\nelif 'FEMALE' in t:\n    b\n",
    ],
)
def test_open_branch_is_left_alone(chain):
    assert linted(chain)[1] is None
