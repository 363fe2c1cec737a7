import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analyzers.vocabulary import Suggestion
from tests.worker.github_app.publishing.documents import document
from tests.worker.report import samples
from worker.executor.execution_context import apply_suggestion
from worker.github_app.publishing.inline_comments import (
    appliable,
    suggestion_to_read,
    suggestion_with_button,
)
from worker.report.stored_report import stored

LINE = st.text("ab \t`~\"'<>@#é\u2028\x0c", max_size=12)
ENDS = st.sampled_from(["\n", "\r\n"])


def pressed(text, first, last, block):
    """What GitHub's button does: it puts the lines of the block in place of those it is on."""
    [fence] = re.match(r"(`+)suggestion\r?\n", block).groups()
    inside = re.fullmatch(rf"{fence}suggestion\r?\n(.*\n){fence}", block, re.DOTALL)[1]
    lines = text.split("\n")
    kept = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    return "".join([*kept[: first - 1], inside, *kept[last:]])


@settings(deadline=None)
@given(
    st.lists(LINE, min_size=1, max_size=8), st.lists(LINE, min_size=1, max_size=4), ENDS, st.data()
)
def test_button_does_exactly_what_was_verified(lines, new, end, data):
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    text = end.join(lines) + end
    suggestion = Suggestion("a.py", first, last, "\n".join(new), verified=True)
    block = appliable(suggestion, text)
    assert block is not None
    assert pressed(text, first, last, block) == apply_suggestion(text, suggestion)
    [token] = MarkdownIt().parse(block)
    assert (token.type, token.info) == ("fence", "suggestion")


def test_last_line_without_a_newline_is_replaced():
    block = appliable(Suggestion("a.py", 2, 2, "\tb", verified=True), "a\nlast")
    assert block == "```suggestion\n\tb\n```"


def test_fence_is_longer_than_any_run_inside():
    block = appliable(Suggestion("a.py", 1, 1, 'x = """````"""', verified=True), "a\n")
    assert block.startswith("`````suggestion\n")


def test_carriage_returns_of_the_file_are_kept():
    block = appliable(Suggestion("a.py", 1, 1, "a\nb", verified=True), "x\r\ny\r\n")
    assert block == "```suggestion\r\na\r\nb\r\n```"


@pytest.mark.parametrize("text", ["", "one\n", "a\nb\r\nc\n", "a\rb\nc\nd\n"])
def test_no_button_where_it_would_do_something_else(text):
    assert appliable(Suggestion("a.py", 1, 2, "x", verified=True), text) is None


def found(**changes):
    return stored(document(samples.crash(**changes))).findings[0]


def test_only_verified_changes_are_suggested():
    unverified = found(suggestion=Suggestion("shop/receipts.py", 1, 1, "x", verified=False))
    for finding in (unverified, found(suggestion=None)):
        assert suggestion_with_button(finding, samples.RECEIPTS) == ""
        assert suggestion_to_read(finding, samples.RECEIPTS) == ""


def test_other_places_show_the_change_to_be_read():
    shown = suggestion_to_read(found(), samples.RECEIPTS)
    assert "```diff\n+     if not words:\n+         return None\n```" in shown
    assert "`shop/receipts.py:11-12`" in shown
    assert "```python\n    words =" in suggestion_to_read(found())


@settings(deadline=None)
@given(st.text(max_size=60))
def test_changes_to_be_read_stay_in_their_block(replacement):
    assume("\r" not in replacement)
    suggestion = Suggestion("a.py", 1, 1, replacement, verified=True)
    for text in (None, "x = 1\n"):
        shown = suggestion_to_read(found(suggestion=suggestion), text)
        kinds = {token.type for token in MarkdownIt().parse(shown)}
        assert kinds == {"paragraph_open", "inline", "paragraph_close", "fence"}
