"""Defects of libraries that no input was seen to meet are told, quietly."""

import re
from dataclasses import replace

import pytest

from analyzers.vocabulary import Divergence, LibraryBug
from tests.worker.report import samples
from tests.worker.report.rendering import to_markdown, to_text
from worker.report import appendix
from worker.report.html_report import to_html
from worker.report.json_report import report_document
from worker.report.markdown_report import summary
from worker.report.stored_report import read_stored

LCM = Divergence(
    "torch.lcm",
    "crash",
    "reference",
    "torch._refs.lcm(input, other)",
    "torch.lcm(torch.tensor([-9223372036854775808]), 5)",
    "SIGFPE",
    "tensor([-9223372036854775808])",
    "read: a bug",
)
SLOW = replace(LCM, api="torch.erf", rule="value", call="torch.erf(0.5)", outcome="0.6", note="")
BUG = LibraryBug("relations", "shop/alarm.py::Alarm.check", "shop/alarm.py", 9, LCM, "2.13.0+cpu")


def a_report(*divergences):
    bugs = tuple(replace(BUG, line=line, divergence=d) for line, d in enumerate(divergences, 1))
    return samples.report(appendix=bugs)


def test_document_keeps_the_appendix():
    report = a_report(LCM, SLOW)
    assert read_stored(report_document(report)).appendix == report.appendix


def test_older_documents_have_no_appendix():
    document = report_document(a_report(LCM))
    del document["appendix"]
    assert read_stored(document).appendix == ()


@pytest.mark.parametrize("shown", [to_text, to_markdown, to_html])
def test_every_format_for_people_tells_of_it(shown):
    said = shown(a_report(LCM))
    assert appendix.TITLE in said
    assert "SIGFPE" in said
    assert "shop/alarm.py:1" in said


@pytest.mark.parametrize("shown", [to_text, to_markdown, to_html])
def test_without_bugs_nothing_is_said(shown):
    assert appendix.TITLE not in shown(samples.full_report())


def test_headline_and_overview_know_nothing_of_it():
    bare, told = to_text(samples.report()), to_text(a_report(LCM))
    assert bare.splitlines()[-2:] == told.splitlines()[-2:]


def test_what_kills_comes_first():
    first, second = appendix.lines(a_report(SLOW, LCM))
    assert first[0] == "shop/alarm.py:2"
    assert "ends the process with `SIGFPE` in torch 2.13.0+cpu" in first[1]
    assert second[1].startswith("`torch.erf(0.5)` gives `0.6` in torch 2.13.0+cpu;")


def test_many_are_counted():
    many = [replace(LCM, api=f"torch.f{number}") for number in range(25)]
    lines = appendix.lines(a_report(*many))
    assert len(lines) == appendix.MOST + 1
    assert lines[-1] == ("", "and 5 more")


PAGE = "</code></details><script>alert(1)</script><img src=x onerror=alert(2)>"
COMMENT = "[click](https://evil.example) @maintainer ![x](https://evil.example/p.png)"
WORDS = f"`{PAGE}` `` {COMMENT}\n```\n# Approved\n::error::owned\x1b[2J\x9b1m\u202e"
HOSTILE = replace(
    LCM,
    relation="value",
    related=WORDS.replace("(", ""),
    call=f"torch.lcm({WORDS!r}, 1)",
    outcome=WORDS,
    expected=WORDS + ".",
    note=WORDS,
)


@pytest.mark.parametrize("related", [HOSTILE.related, f"torch.lcm({WORDS!r})", WORDS])
@pytest.mark.parametrize(
    "shown",
    [to_text, to_markdown, to_html, lambda report: summary(read_stored(report_document(report)))],
    ids=["text", "markdown", "html", "comment"],
)
def test_hostile_text_stays_text(shown, related):
    told = shown(a_report(replace(HOSTILE, related=related)))
    living = re.sub(r"(`+)[^`].*?\1", "", told, flags=re.DOTALL)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", told)
    if shown is not to_text:
        for alive in ("<script>alert", "<img src=x", "](https://evil"):
            assert alive not in living
        assert not re.search(r"(?m)^(# Approved|::error)", living)
    if shown not in (to_text, to_html):
        assert "@maintainer" not in living
        assert living.count("<details>") == living.count("</details>")


def test_one_bug_at_many_places_is_one():
    items = report_document(a_report(LCM, LCM, SLOW))["appendix"]
    assert [item["line"] for item in appendix.one_each(items)] == [1, 3]
