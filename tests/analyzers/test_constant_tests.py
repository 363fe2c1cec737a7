"""Constants that are compared, words that shorter words take over, keys that a literal lacks."""

import pytest

from analyzers.source_checks.constant_tests import constant_tests
from analyzers.source_checks.literal_keys import missing_keys
from analyzers.source_checks.raising_calls import raising_calls
from analyzers.source_checks.readers import READERS, identities


def rules(text):
    return [(each.rule, each.line) for each in constant_tests(text)]


@pytest.mark.parametrize("test", ["x >= 0.25 <= 1.0", "x <= -0.25 <= 1", "0 < 1 < x"])
def test_chain_with_two_constants_is_told(test):
    assert rules(f"def f(x):\n    return {test}\n") == [("cloud/misuse", 2)]


@pytest.mark.parametrize("test", ["0.25 <= x <= 1.0", "x >= low <= 1.0", "0 < 1 <= 2", "x > 0.2"])
def test_chain_around_what_is_tested_is_quiet(test):
    assert rules(f"def f(x, low):\n    return {test}\n") == []


CHAIN = """
def f(text: str):
    if {first}:
        return "m"
    {second}:
        return "f"
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("'male' in text", "elif 'female' in text"),
        ("'male' in text or 'man' in text", "elif 'female' in text and len(text) > 9"),
        ("'man' in text.lower()", "if 'woman' in text.lower()"),
    ],
)
def test_word_that_a_shorter_one_takes_over_is_told(first, second):
    assert rules(CHAIN.format(first=first, second=second)) == [("cloud/dead-branch", 5)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("'female' in text", "elif 'male' in text"),
        ("'male' in text and len(text) > 4", "elif 'female' in text"),
        ("'male' in text", "elif 'female' in other(text)"),
        ("'male' in text.words", "elif 'female' in text.words"),
        ("'male' == text", "elif 'female' in text"),
    ],
)
def test_word_that_can_be_found_is_quiet(first, second):
    assert rules(CHAIN.format(first=first, second=second)) == []


@pytest.mark.parametrize("labels", ["labels", "[x.name for x in labels]", "set(labels)"])
def test_word_among_labels_is_quiet(labels):
    text = f"def f(labels):\n    text = {labels}\n    if 'male' in text:\n        return 1\n"
    assert rules(f"{text}    if 'female' in text:\n        return 2\n") == []


@pytest.mark.parametrize(
    "call",
    ["random.randrange(0.4, 0.7)", "random.randint(9, 2)", "range(len(x) / 2)", "range(2.0)",
     "open(x, 'rb', encoding='utf-8')"],
)  # fmt: skip
def test_call_with_numbers_that_it_refuses_is_told(call):
    assert [each.line for each in raising_calls(f"def f(x):\n    return {call}\n")] == [2]


@pytest.mark.parametrize(
    "call",
    ["random.randrange(4, 7)", "random.randint(2, 9)", "range(len(x) // 2)", "range(x / 2)",
     "range(-3)", "random.randrange(1.0)", "open(x, 'r', encoding='utf-8')"],
)  # fmt: skip
def test_call_with_numbers_that_it_may_take_is_quiet(call):
    assert raising_calls(f"def f(x):\n    return {call}\n") == []


def test_call_of_another_module_is_quiet():
    pattern = "re.compile(r'\\p{L}')\n"
    assert [each.exception for each in raising_calls(f"import re\n{pattern}")] == ["re.error"]
    assert raising_calls(f"import regex as re\n{pattern}") == []
    assert raising_calls(f"from regex import regex as re\n{pattern}") == []


def test_key_that_the_literal_lacks_is_told():
    text = "def f():\n    sizes = {'small': 1, 'large': 2}\n    return sizes['smal']\n"
    (found,) = missing_keys(text)
    assert (found.rule, found.line) == ("code/error", 3)
    assert "It has `small`." in found.words[1]


@pytest.mark.parametrize(
    "use",
    [
        "d['a']",
        "d.get('x')",
        "d[k]",
        "(d.update(x=1), d['x'])",
        "(fill(d), d['x'])",
        "d['x'] if k else 0",
        "{**d}['x']",
    ],
)
def test_key_that_may_be_there_is_quiet(use):
    assert missing_keys(f"def f(k):\n    d = {{'a': 1}}\n    return {use}\n") == ()


DEEP = "import os\n\ndef f(a):\n    if a == 0: pass\n" + "    elif a == 1: pass\n" * 2500


@pytest.mark.parametrize("name", READERS)
def test_code_that_is_nested_too_deep_is_left_alone(name):
    assert not READERS[name](DEEP)
    assert not identities(name, DEEP)
