import re

import pytest
from markdown_it import MarkdownIt

from analyzers.vocabulary import Suggestion
from tests.worker.report import samples
from worker.report import escape
from worker.report.artifacts import write_artifacts
from worker.report.markdown import COMMENT_LIMIT, inline_comment, summary, to_markdown

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


def tokens(markdown):
    for token in READER.parse(markdown):
        yield token
        yield from token.children or ()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    for markdown in (escape.plain(text), escape.prose(text), f"| {escape.cell(text)} |"):
        kinds = {token.type for token in tokens(markdown)}
        assert kinds <= {"paragraph_open", "paragraph_close", "inline", "text", "code_inline"} | {
            "text_special"
        }
    outside = re.sub(r"`+[^`]*`+", "", escape.prose(text))
    assert not re.search(r"@\w|#\d|https?:|www\.", outside)


def test_code_in_prose_stays_code():
    assert escape.prose("`a_b` is * `c`.") == "`a_b` is \\* `c`."


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a```b", "x"])
def test_code_spans_hold_backquotes(text):
    [code] = [token for token in tokens(escape.code(text)) if token.type == "code_inline"]
    assert code.content.strip() == text


def test_verified_suggestion_is_a_block():
    comment = inline_comment(samples.low_recall(), samples.full_report())
    assert '```suggestion\n        if {"Fire", "Flame"} & set(self.names):\n```\n' in comment.body
    assert (comment.path, comment.start_line, comment.line) == ("shop/alarm.py", None, 12)


def test_range_comments_have_a_start():
    comment = inline_comment(samples.crash(), samples.full_report())
    assert (comment.start_line, comment.line) == (11, 12)


def test_unverified_suggestion_cannot_be_applied():
    suggestion = Suggestion("shop/receipts.py", 12, 12, "    return None")
    body = inline_comment(samples.crash(suggestion=suggestion), samples.full_report()).body
    assert "```suggestion" not in body
    assert "not verified" in body


def test_fence_outgrows_backquotes():
    suggestion = Suggestion("a.py", 3, 3, '    x = """```` """', verified=True)
    body = inline_comment(samples.crash(suggestion=suggestion), samples.full_report()).body
    assert '`````suggestion\n    x = """```` """\n`````' in body


def test_suggestion_keeps_carriage_returns():
    suggestion = Suggestion("a.py", 3, 4, "    a = 1\r\n    b = 2", verified=True)
    body = inline_comment(samples.crash(suggestion=suggestion), samples.full_report()).body
    assert "```suggestion\r\n    a = 1\r\n    b = 2\r\n```" in body


@pytest.mark.parametrize("with_files", [True, False])
def test_comment_ends_with_reproduce_and_silence(tmp_path, with_files):
    report = samples.full_report()
    artifacts = write_artifacts(report, tmp_path, samples.SOURCES) if with_files else None
    for finding in report.findings:
        lines = inline_comment(finding, report, artifacts).body.rstrip().splitlines()
        assert lines[-2].startswith("Reproduce: `assayer check --base aaaaaaaaaaaa --target ")
        assert lines[-1] == f"Silence: `/assayer ignore {finding.fingerprint} reason…`"


def test_comment_shows_recall_and_inputs():
    body = inline_comment(samples.low_recall(), samples.full_report()).body
    assert "Reached by 4 of 10 inputs, 40 % (95 % interval 17–69 %)." in body
    assert "- “fire 0” on orange\n" in body
    assert "- and 5 more" in body


def test_summary_stays_within_the_limit():
    findings = [
        samples.crash(symbol=f"a.py::f{n}", title="t" * 300, path="p" * 100) for n in range(500)
    ]
    text = summary(samples.report(*findings))
    assert len(text) <= COMMENT_LIMIT
    assert "more findings are in the full report" in text


def test_comment_stays_within_the_limit():
    finding = samples.crash(message="m" * 70_000)
    body = inline_comment(finding, samples.report(finding)).body
    assert len(body) <= COMMENT_LIMIT
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
    assert len(summary(samples.report()).splitlines()) <= 6


def test_overlong_suggestions_are_left_out_whole():
    suggestion = Suggestion("a.py", 1, 1, "x = 1\n" * 20_000 + "y", verified=True)
    finding = samples.crash(suggestion=suggestion)
    body = inline_comment(finding, samples.report(finding)).body
    assert len(body) <= COMMENT_LIMIT
    assert "```" not in body
