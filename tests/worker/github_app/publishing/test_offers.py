"""Inferred annotations that caught something are offered, with a button where that can be."""

from dataclasses import replace

import pytest

from tests.worker.github_app.publishing.documents import (
    added,
    document,
    pull_state,
    reported,
)
from tests.worker.github_app.publishing.test_publication import posted
from tests.worker.report import samples
from worker.github_app.publishing.inline_comments import ChangedFile
from worker.github_app.publishing.publication import compose, suggestion_paths

TEXT = "import torch\n\n\n@torch.no_grad()\ndef pool(x):\n    y = x.mean()\n    return y / 0\n"
LINES = ['#@arg(x): tensors(dtype="float32", shape="b d")', "#@require(len(x) > 1)"]
OFFER = {"path": "shop/pool.py", "line": 4, "lines": LINES}


def crash(offers=(OFFER,), **changes):
    values = {
        "rule": "property/crash",
        "path": "shop/pool.py",
        "line": 7,
        "end_line": 7,
        "suggestion": None,
        "evidence": {
            "exception": "ZeroDivisionError",
            "raised_at": "shop/pool.py:7",
            "arguments": {"x": "tensor((1, 1))"},
            "annotations": {},
            "proposed": list(offers),
        },
    }
    return replace(samples.crash(), **{**values, **changes})


def shown(patch, text=TEXT):
    return pull_state(
        files=[ChangedFile("shop/pool.py", "modified", patch)], texts={"shop/pool.py": text}
    )


def test_remark_from_the_function_to_the_line_that_fails_has_a_button():
    [plan] = posted(compose(reported(document(crash())), shown(added(TEXT))))
    assert (plan.path, plan.start_line, plan.line) == ("shop/pool.py", 4, 7)
    kept = "\n".join(TEXT.splitlines()[3:])
    assert "```suggestion\n" + "\n".join(LINES) + f"\n{kept}\n```" in plan.body
    assert not plan.body.startswith("`shop/pool.py")


def test_line_ends_of_the_file_are_kept():
    text = TEXT.replace("\n", "\r\n")
    [plan] = posted(compose(reported(document(crash())), shown(added(TEXT), text)))
    assert f"```suggestion\r\n{LINES[0]}\r\n{LINES[1]}\r\n@torch.no_grad()\r\n" in plan.body


@pytest.mark.parametrize(
    "patch",
    [
        "@@ -7,1 +7,1 @@\n-old\n+    return y / 0",
        "@@ -4,5 +4,4 @@\n @torch.no_grad()\n def pool(x):\n-    y = 1\n     y = x.mean()\n"
        "+    return y / 0\n-    return",
    ],
    ids=["the function is not shown", "lines were deleted between"],
)
def test_elsewhere_they_are_shown_to_be_read(patch):
    [plan] = posted(compose(reported(document(crash())), shown(patch)))
    assert (plan.start_line, plan.line) == (None, 7)
    assert "```suggestion" not in plan.body
    assert "above line 4 of `shop/pool.py`:\n\n```python\n#@arg(x): " in plan.body


def test_function_far_above_is_not_suggested_with_all_its_lines():
    text = TEXT.replace("    y = x.mean()\n", "    y = x.mean()\n" * 40)
    [plan] = posted(compose(reported(document(crash(line=46, end_line=46))), shown(added(text))))
    assert plan.line == 46
    assert "```suggestion" not in plan.body
    assert "```python\n#@arg(x): " in plan.body


def test_verified_suggestion_stands_alone():
    finding = crash(path="shop/receipts.py", line=12, suggestion=samples.crash().suggestion)
    [plan] = posted(compose(reported(document(finding)), pull_state()))
    assert plan.body.count("```suggestion") == 1
    assert "#@arg" not in plan.body


def test_summary_tells_them_where_the_pull_request_has_no_such_file():
    publication = compose(reported(document(crash())), pull_state(files=[]))
    assert "```python\n#@arg(x): " in publication.sticky
    assert "```python\n#@arg(x): " in publication.check.text


def test_text_of_the_file_is_asked_for():
    assert suggestion_paths(reported(document(crash()))) == {"shop/pool.py"}
    assert suggestion_paths(reported(document(crash(offers=())))) == frozenset()


@pytest.mark.parametrize(
    "offer",
    [
        {**OFFER, "lines": ["import os; os.remove('x')"]},
        {**OFFER, "lines": ["#@arg(x): ints()\nimport os"]},
        {**OFFER, "lines": ["#@arg(x): ints()\u2028import os"]},
        {**OFFER, "lines": []},
        {**OFFER, "lines": "#@arg(x): ints()"},
        {**OFFER, "line": 0},
        {**OFFER, "line": True},
        {**OFFER, "path": 3},
        "#@arg(x): ints()",
    ],
)
def test_nothing_but_comments_is_offered(offer):
    [plan] = posted(compose(reported(document(crash(offers=[offer]))), shown(added(TEXT))))
    assert "```" not in plan.body
    assert "import os" not in plan.body
