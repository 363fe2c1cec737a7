"""What formats say of valid inputs: each thing once, offers among it."""

import pytest

from tests.worker.report import samples
from tests.worker.report.rendering import to_markdown, to_text
from worker.report.html_report import to_html
from worker.report.valid_input_messages import AnnotationOffer, offers_of, valid_input_lines

GIVEN = {"constraint": "ints(min=1)", "given": True, "source": "annotation", "where": ""}
INFERRED = {
    "constraint": 'tensors(shape="b d")',
    "given": False,
    "source": "shapes through the layers",
    "confidence": "strong",
    "where": "net.py:3",
}
EVIDENCE = {
    "exception": "RuntimeError",
    "raised_at": "net.py:7",
    "message": "sizes differ",
    "arguments": {"x": "tensor((1, 1))", "n": "1"},
    "annotations": {"x": INFERRED, "self.n": GIVEN},
    "matters": ["x"],
    "seen": 4,
    "executions": 1200,
    "passed": 1100,
    "refused": 96,
    "proposed": [{"path": "net.py", "line": 3, "lines": ['    #@arg(x): tensors(shape="b d")']}],
}
MESSAGE = (
    "Given `x = tensor((1, 1))`, `y = a @ b` (net.py:7) raises `RuntimeError`: sizes differ.\n"
    "4 of 1,104 valid inputs end so.\nThat this input is valid is inferred."
)


def crash():
    return samples.crash(
        rule="property/crash", message=MESSAGE, evidence=EVIDENCE, suggestion=None, path="net.py"
    )


def test_evidence_says_what_the_message_does_not():
    assert valid_input_lines(EVIDENCE, MESSAGE) == [
        ("inputs tried", "1,200, 1,100 returned, 96 were refused by the code"),
        ("x", '`tensors(shape="b d")`, inferred: shapes through the layers, net.py:3 (strong)'),
        ("n", "`ints(min=1)`, annotated"),
    ]
    told = f"{MESSAGE} `x`: `{INFERRED['constraint']}`"
    assert [name for name, _ in valid_input_lines(EVIDENCE, told)] == ["inputs tried", "n"]


@pytest.mark.parametrize("render", [to_text, to_markdown, to_html])
def test_nothing_is_said_twice(render):
    text = render(samples.report(crash()))
    assert text.count("sizes differ") == 1
    assert "raised at" not in text
    assert "seen" not in text


@pytest.mark.parametrize("render", [to_text, to_markdown, to_html])
def test_offers_stand_in_every_format_for_people(render):
    text = render(samples.report(crash()))
    assert "above line 3 of" in text
    assert "#@arg(x): tensors(" in text


def test_offers_are_read_from_documents():
    assert offers_of(EVIDENCE) == (
        AnnotationOffer("net.py", 3, ('    #@arg(x): tensors(shape="b d")',)),
    )
    assert offers_of({"proposed": "#@arg(x)"}) == ()
    assert offers_of({}) == ()
