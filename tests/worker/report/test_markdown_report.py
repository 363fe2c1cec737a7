import re

import pytest
from markdown_it import MarkdownIt

from analyzers.vocabulary import Suggestion
from tests.worker.report import samples
from tests.worker.report.rendering import to_markdown
from worker.report import markdown_escape
from worker.report.artifacts import write_artifacts
from worker.report.json_report import report_document
from worker.report.markdown_report import (
    COMMENT_LIMIT,
    finding_text,
    size,
    suggestion_text,
    summary,
)
from worker.report.stored_report import stored

HOSTILE = [
    "@octocat look",
    "see #12 and GH-13",
    "<img src=x onerror=alert(1)>",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "https://evil.example www.evil.example",
    "a | b\n| c |\n\n# heading\n- list\n> quote",
    "```\nfence\n```",
    "`unclosed **bold** $math$ ~~gone~~",
    "</details><h1>x</h1>",
    "&lt;b&gt; &#64;octocat",
    "1. first",
    "--- \n=== ",
]
READER = MarkdownIt("gfm-like", {"html": True, "linkify": False})


def told(report, artifacts=None):
    return stored(report_document(report, artifacts))


def body_of(finding, report, artifacts=None):
    whole = told(report, artifacts)
    found = told(samples.report(finding), artifacts).findings[0]
    return finding_text(found, whole, change=suggestion_text(found))


def tokens(markdown):
    for token in READER.parse(markdown):
        yield token
        yield from token.children or ()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    for markdown in (
        markdown_escape.plain(text),
        markdown_escape.prose(text),
        f"| {markdown_escape.cell(text)} |",
    ):
        kinds = {token.type for token in tokens(markdown)}
        assert kinds <= {"paragraph_open", "paragraph_close", "inline", "text", "code_inline"} | {
            "text_special"
        }
    outside = re.sub(r"`+[^`]*`+", "", markdown_escape.prose(text))
    assert not re.search(r"@\w|#\d|https?:|www\.", outside)


def test_code_in_prose_stays_code():
    assert markdown_escape.prose("`a_b` is * `c`.") == "`a_b` is \\* `c`."


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a```b", "x"])
def test_code_spans_hold_backquotes(text):
    [code] = [token for token in tokens(markdown_escape.code(text)) if token.type == "code_inline"]
    assert code.content.strip() == text


def test_verified_suggestion_is_a_block():
    body = body_of(samples.low_recall(), samples.full_report())
    assert '```suggestion\n        if {"Fire", "Flame"} & set(self.names):\n```\n' in body


def test_unverified_suggestion_does_not_set_the_lines():
    suggestion = Suggestion("shop/config.py", 1, 1, "HOT = 1")
    text = to_markdown(samples.report(samples.crash(suggestion=suggestion)))
    assert "`shop/receipts.py:12`" in text
    assert "```suggestion" not in text


def test_fence_outgrows_backquotes():
    suggestion = Suggestion("a.py", 3, 3, '    x = """```` """', verified=True)
    body = body_of(samples.crash(suggestion=suggestion), samples.full_report())
    assert '`````suggestion\n    x = """```` """\n`````' in body


def test_suggestion_keeps_carriage_returns():
    suggestion = Suggestion("a.py", 3, 4, "    a = 1\r\n    b = 2", verified=True)
    body = body_of(samples.crash(suggestion=suggestion), samples.full_report())
    assert "```suggestion\r\n    a = 1\r\n    b = 2\r\n```" in body


@pytest.mark.parametrize("with_files", [True, False])
def test_comment_ends_with_reproduce_and_silence(tmp_path, with_files):
    report = samples.full_report()
    artifacts = write_artifacts(report, tmp_path, samples.SOURCES) if with_files else None
    for finding in report.findings:
        lines = body_of(finding, report, artifacts).rstrip().splitlines()
        assert lines[-2].startswith("Reproduce: `assayer check --base aaaaaaaaaaaa --target ")
        assert lines[-1] == f"Silence: `/assayer ignore {finding.fingerprint} reason…`"


def test_comment_shows_recall_and_inputs():
    body = body_of(samples.low_recall(), samples.full_report())
    assert "- reached: 4 of 10 inputs, 40 % (95 % interval 17–69 %)\n" in body
    assert "- “fire 4” on orange → Flame" in body
    assert "fire 0" not in body
    assert "- and 5 more" in body


def test_each_part_of_a_message_is_a_paragraph():
    finding = samples.crash(message="It raises.\n\n# Not a heading\nNo repair: <b>.")
    body = body_of(finding, samples.full_report())
    assert "It raises.\n\n\\# Not a heading\n\nNo repair: &lt;b&gt;.\n" in body


def test_comment_has_a_line_for_each_changed_outcome():
    body = body_of(samples.changed(), samples.full_report())
    assert "\n- of 3 pictures of “Fire”, 2 that were 'alarm' are now 'quiet'\n" in body
    assert samples.changed().message not in body


def test_summary_stays_within_the_limit():
    findings = [
        samples.crash(symbol=f"a.py::f{n}", title="t" * 300, path="p" * 100) for n in range(500)
    ]
    text = summary(told(samples.report(*findings)))
    assert size(text) <= COMMENT_LIMIT
    assert "more findings are in the full report" in text


def test_comment_stays_within_the_limit():
    finding = samples.crash(message="m" * 70_000)
    body = body_of(finding, samples.report(finding))
    assert size(body) <= COMMENT_LIMIT
    assert body.rstrip().endswith(f"Silence: `/assayer ignore {finding.fingerprint} reason…`")


def test_markdown_holds_summary_and_comments():
    report = samples.full_report()
    text = to_markdown(report)
    assert text.startswith("### Assayer: 3 new findings block")
    assert text.count("\n---\n") == 4
    assert "`shop/receipts.py:11-12`" in text


def test_ignored_findings_get_no_comment():
    finding = samples.crash()
    report = samples.report(finding, ignored={finding.fingerprint: {"reason": "known"}})
    assert "Silence:" not in to_markdown(report)
    assert "ignored: known" in to_markdown(report)


def test_clean_summary_is_short():
    assert len(summary(told(samples.report())).splitlines()) <= 6


def test_overlong_suggestions_are_left_out_whole():
    suggestion = Suggestion("a.py", 1, 1, "x = 1\n" * 20_000 + "y", verified=True)
    finding = samples.crash(suggestion=suggestion)
    body = body_of(finding, samples.report(finding))
    assert size(body) <= COMMENT_LIMIT
    assert "```" not in body
