"""Annotations are written in one style, and read as what they were."""

import pytest

from analyzers.guest.annotations.annotation_reader import read
from analyzers.inference.inference_messages import WIDTH, format_annotation, format_comment_lines


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("tensors(dtype='float32', shape=('b', 3))", 'tensors(dtype="float32", shape=("b", 3))'),
        ("froms([\"a\", 'b'])", 'froms(["a", "b"])'),
        ("froms(['say \"a\"'])", "froms(['say \"a\"'])"),
        ("froms(['a\\'b'])", "froms(['a\\'b'])"),
        ("froms([b'a'])", "froms([b'a'])"),
        ("ints(min=1)", "ints(min=1)"),
        ("ints(min=", "ints(min="),
    ],
)
def test_strings_get_double_quotes(text, wanted):
    assert format_annotation(text) == wanted


@pytest.mark.parametrize("indent", ["", "    "])
def test_long_annotations_are_broken_and_read_as_before(indent):
    items = ", ".join(repr(f"a, (rather) long word {number}") for number in range(20))
    lines = format_comment_lines(f"@arg(x): froms([{items}])", indent)
    assert len(lines) > 4
    assert all(len(line) <= WIDTH for line in lines)
    body = "\n".join([*lines, f"{indent}def f(x): ..."])
    source = f"class C:\n{body}" if indent else body
    found = read(source)
    assert found.problems == []
    (said,) = found.functions.values()
    assert said.args[0].constraint["values"].value == [
        f"a, (rather) long word {number}" for number in range(20)
    ]


def test_short_annotation_is_one_line():
    assert format_comment_lines("@arg(x): ints(min=1)", "  ") == ("  #@arg(x): ints(min=1)",)
