import re

from hypothesis import given
from hypothesis import strategies as st

from analyzers.guest.search.code_constants import collect_constants, constants_in, examples

SOURCE = '''
"""A docstring is no constant."""
import re
TABLE = {"Otter": 0.85}
CODE = re.compile(r"[A-C]{2}-\\d{3}")
def f(x):
    """Nor is this."""
    return x == "near" or TABLE
def g(x):
    return x == "far"
'''


def pool(**given):
    namespace = {"TABLE": {"Otter": 0.85}, "CODE": re.compile(r"[A-C]{2}-\d{3}")}
    return collect_constants({"a.py": SOURCE}, "a.py", "f", [], namespace, "/project", **given)


def test_constants_of_the_target_come_first() -> None:
    raw = pool().raw
    assert raw.index("near") < raw.index("far")
    assert raw.index("Otter") < raw.index("far")


def test_docstrings_are_left_out() -> None:
    assert not any("docstring" in text or "Nor is" in text for text in pool().strings)


def test_variants_are_tried() -> None:
    assert {"NEAR", "Near", "otter", "OTTER"} <= set(pool().strings)


def test_thresholds_have_neighbours() -> None:
    assert {0.85, 0.84, 0.86} <= set(pool().numbers)


def test_patterns_give_texts() -> None:
    assert any(re.fullmatch(r"[A-C]{2}-\d{3}", text) for text in pool().near)


def test_constants_of_an_expression() -> None:
    assert constants_in("a.lower() in ('x', 'y') or f('z')") == ["x", "y", "z"]
    assert constants_in("not python (") == []


@given(
    st.sampled_from(
        [
            r"\d{5}",
            r"(?i)total[: ]+(\d+\.\d{2})",
            r"^(?:sports?|racing) (car|bike)$",
            r"[^0-9]+x*?y{2,}",
            r"(a|b)\1",
            r"\w+@\w+\.(com|org)",
            r"[\s\d][^\W]",
        ]
    ),
    st.integers(0, 1000),
)
def test_examples_match_their_pattern(pattern: str, seed: int) -> None:
    for text in examples(pattern, 4, seed):
        assert re.search(pattern, text)


def test_malformed_pattern_gives_nothing() -> None:
    assert examples("(", 3) == []
