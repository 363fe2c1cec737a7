from worker.github_app.publishing.comment_marks import (
    AUDIT,
    SUMMARY,
    finding_mark,
    fingerprint_in,
    has_mark,
    marked,
)

A = "a" * 16


def test_mark_at_the_end_is_read():
    assert fingerprint_in(marked("text\n\n", finding_mark(A))) == A
    assert has_mark(marked("text", SUMMARY), SUMMARY)


def test_other_marks_may_follow():
    text = marked(marked("text", SUMMARY), "<!-- assayer:summary:key -->")
    assert has_mark(text, SUMMARY)
    assert not has_mark(text, AUDIT)


def test_marks_inside_a_text_do_not_count():
    quoted = f"```\n{finding_mark(A)}\n```\n{SUMMARY} and more"
    assert fingerprint_in(quoted) is None
    assert not has_mark(quoted, SUMMARY)
    assert not has_mark(None, SUMMARY)


def test_line_ends_of_the_web_do_not_matter():
    assert fingerprint_in(f"text\r\n\r\n{finding_mark(A)}\r\n") == A
