"""Text of others in comments."""

import re

import pytest

from worker.report import markdown_escape


def test_no_paragraph_is_a_command_to_a_runner():
    assert markdown_escape.prose("::error file=app.py::bad").startswith("\\::")
    assert markdown_escape.plain("::stop-commands::x").startswith("\\::")


def test_no_commit_is_a_link_however_it_is_cut():
    sha = "0123456789abcdef0123456789abcdef01234567"
    for text in (sha, f"x {sha[:7]} y", f"_{sha}", f"xyz {sha[:3]}{sha[:7]}"):
        assert not re.search(r"[0-9a-f]{7}", markdown_escape.plain(text))


@pytest.mark.parametrize(
    "text", ["_https://x.example", "1http://x.example", "_www.x.example", "_gh-12", "CVE-2024-1"]
)
def test_no_link_starts_inside_a_word(text):
    assert not re.search(r"(?i)(https?:|www\.|gh-\d|cve-\d)", markdown_escape.plain(text))


def test_shown_text_has_no_invisible_characters():
    assert markdown_escape.shown("a\u202eb\x1b[31m\n@c  d") == "ab [31m\n@c d"
