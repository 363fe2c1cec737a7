"""What counts as a command, and what its arguments may be."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.github_app.command_grammar import (
    Apply,
    Approve,
    Explain,
    Help,
    IgnoreFinding,
    Rerun,
    Stop,
    Unignore,
    Unknown,
    command_lines,
    is_target,
    parse,
)
from worker.store.records import RunOptions

PRINT = "0123456789abcdef"
KNOWN = frozenset({"cloud", "property"})


def read(body):
    return parse(body, KNOWN)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("rerun", Rerun()),
        ("rerun inputs=1000", Rerun(RunOptions(inputs=1000))),
        (
            "rerun inputs=4 target=a/b.py::C.m analyzer=Cloud seed=4294967295",
            Rerun(RunOptions(4, "a/b.py::C.m", "cloud", 4294967295)),
        ),
        ("rerun target=a.py::f.<locals>.g", Rerun(RunOptions(target="a.py::f.<locals>.g"))),
        ("rerun target=a.py::<module>", Rerun(RunOptions(target="a.py::<module>"))),
        (f"ignore {PRINT} it is `fine` *here*", IgnoreFinding(PRINT, "it is `fine` *here*")),
        (
            f"ignore {PRINT} known, ends until=2031-02-03",
            IgnoreFinding(PRINT, "known, ends", date(2031, 2, 3)),
        ),
        (f"ignore `{PRINT.upper()}` why", IgnoreFinding(PRINT, "why")),
        (f"unignore {PRINT}", Unignore(PRINT)),
        (f"explain {PRINT}", Explain(PRINT)),
        (f"apply {PRINT}", Apply(PRINT)),
        ("approve", Approve()),
        ("stop", Stop()),
        ("help", Help()),
        ("", Help()),
        ("  STOP  ", Stop()),
    ],
)
def test_every_command_is_read(line, command):
    assert read(f"Thanks.\n/assayer {line}\n\nmore") == (command,)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("frobnicate", "no such command"),
        ("rerun inputs=0", "1 to 1000"),
        ("rerun inputs=1001", "1 to 1000"),
        ("rerun inputs=-1", "1 to 1000"),
        ("rerun inputs=٣", "1 to 1000"),
        ("rerun inputs=", "1 to 1000"),
        ("rerun inputs=" + "9" * 5000, "1 to 1000"),
        ("rerun seed=4294967296", "0 to 4294967295"),
        ("rerun inputs=1 inputs=2", "twice"),
        ("rerun analyzer=solver", "cloud, property"),
        ("rerun trust=yes", "only"),
        ("rerun now", "only"),
        ("rerun target=../../etc/a.py::f", "Qualified.name"),
        ("rerun target=/etc/a.py::f", "Qualified.name"),
        ("rerun target=-x.py::f", "Qualified.name"),
        ("rerun target=a.py::f;rm", "Qualified.name"),
        ("rerun target=a.py", "Qualified.name"),
        ("rerun target=a.sh::f", "Qualified.name"),
        ("rerun target=a.py::<locals>.f", "Qualified.name"),
        ("rerun target=a.py::f.<locals>", "Qualified.name"),
        ("rerun target=" + "a" * 500 + ".py::f", "Qualified.name"),
        ("ignore", "fingerprint"),
        ("ignore 123 why", "fingerprint"),
        (f"ignore {PRINT}", "reason"),
        (f"ignore {PRINT} reason…", "reason"),
        (f"ignore {PRINT} until=2031-01-01", "reason"),
        (f"ignore {PRINT} why until=soon", "2031-12-31"),
        (f"ignore {PRINT} why until=2031-02-30", "2031-12-31"),
        (f"ignore {PRINT} why until=2031-01-01 until=2032-01-01", "twice"),
        (f"ignore {PRINT} {'x' * 501}", "at most 500"),
        (f"explain {PRINT} please", "more on the line"),
        ("apply", "fingerprint"),
        ("stop now", "more on the line"),
        ("approve everything", "whole name of a commit"),
        ("approve 0123456", "whole name of a commit"),
        (f"approve {'0123456789abcdef' * 4} now", "more on the line"),
    ],
)
def test_what_is_not_allowed_is_answered_with_the_reason(line, problem):
    (command,) = read(f"/assayer {line}")
    assert isinstance(command, Unknown)
    assert problem in command.problem


@pytest.mark.parametrize(
    "body",
    [
        "> /assayer stop",
        "> quoted\n/assayer stop",
        "> > /assayer stop",
        "- > /assayer stop",
        "```\n/assayer stop\n```",
        "```\n/assayer stop",
        "~~~~ text\n```\n/assayer stop\n~~~\n~~~~",
        "- ```\n  /assayer stop\n  ```",
        "    /assayer stop",
        "\t/assayer stop",
        "`a\n/assayer stop\nb`",
        "``a ` b\n/assayer stop\n``",
        "<!-- /assayer stop -->",
        "<!--\n\n/assayer stop\n\n-->",
        "<!--\n\n/assayer stop",
        "text <!-- a\n/assayer stop\n-->",
        "<pre>\n/assayer stop\n</pre>",
        "<pre>\n\n/assayer stop\n\n</pre>",
        "<blockquote>\n\n/assayer stop\n\n</blockquote>",
        "text <code>\n/assayer stop\n</code>",
        "text <del>\n/assayer stop\n</del>",
        "~~a\n/assayer stop\nb~~",
        "[a]: /b '\n/assayer stop\n'",
        "[a](b '\n/assayer stop\n')",
        "|a|b|\n|-|-|\n/assayer stop|",
        "please /assayer stop",
        "`/assayer stop`",
        "*/assayer stop*",
        "- /assayer stop",
        "/assayerstop",
        "/assayer-stop",
        "/assayer: stop",
        "//assayer stop",
        "/ assayer stop",
        "/as\u200bsayer stop",
        "/a\u017f\u017fayer stop",
        "\U000f0000 stop",
        "a\x0b/assayer stop",
        "a\u2028/assayer stop",
        "",
        "/assayer stop" + " " * 65_536,
    ],
)
def test_what_is_code_quoted_hidden_or_spelled_otherwise_is_no_command(body):
    assert read(body) == ()


@pytest.mark.parametrize(
    "body",
    [
        "> quoted\n\n/assayer stop",
        "> quoted\n\n/assayer stop\n> more",
        "```\ncode\n```\n/assayer stop",
        "<!-- a -->\n/assayer stop",
        "a\r\n/assayer stop\r\nb",
        "a\r/assayer stop",
        "\ufeff/assayer stop",
        "\u200b /assayer\u00a0stop\u200b",
        "/assayer st\u200bop",
        "   /assayer stop",
        "/ASSAYER Stop",
        "- item\n\n/assayer stop",
        "/assayer stop\n---\nname",
        "**a\n/assayer stop\nb**",
        "<details>\n\n/assayer stop\n\n</details>",
        "<!-- <pre> -->\n\n/assayer stop",
        "unmatched ` backquote\n/assayer stop",
        "/assayer stop\n/assayer stop",
    ],
)
def test_what_stands_at_the_beginning_of_a_visible_line_is_a_command(body):
    assert read(body) == (Stop(),)


def test_commands_keep_their_order():
    assert read(f"/assayer explain {PRINT}\ntext\n/assayer rerun\n\n/assayer help") == (
        Explain(PRINT),
        Rerun(),
        Help(),
    )


def test_the_sixth_command_of_a_comment_is_left_out_and_named():
    body = "\n".join(f"/assayer rerun seed={seed}" for seed in range(9))
    *first, last = read(body)
    assert first == [Rerun(RunOptions(seed=seed)) for seed in range(5)]
    assert isinstance(last, Unknown)


def test_a_hidden_direction_of_writing_is_not_kept_in_a_reason():
    assert read(f"/assayer ignore {PRINT} a\u202eb\u2066c") == (IgnoreFinding(PRINT, "abc"),)


@given(
    st.text(alphabet=st.sampled_from("/assayer stop rerun\n\r\t `~>-*_<!&[](){}|=#\ufeff\u200b:1"))
)
def test_any_text_is_read_without_an_error(text):
    for command in read(text + "\n/assayer " + text):
        assert isinstance(command, Unknown) or command


@given(st.text(max_size=60), st.sampled_from(["> ", "    ", ">"]))
def test_nothing_is_read_from_quotes_and_indented_code(text, prefix):
    lines = ["/assayer stop", *text.replace("\r", "\n").split("\n"), "/assayer stop"]
    assert "stop" not in command_lines(
        "".join(f"{prefix}{line}\n" for line in lines if line.strip())
    )


@given(st.text(max_size=200), st.integers(min_value=3, max_value=6))
def test_nothing_is_read_from_a_fence_that_the_text_cannot_close(text, length):
    fence = "~" * length
    inside = text.replace("~", "-")
    assert command_lines(f"{fence}\n/assayer stop\n{inside}\n/assayer stop\n{fence}\n") == ()


@given(st.text(max_size=100))
def test_only_targets_inside_the_repository_are_taken(text):
    if is_target(text):
        path, _, function = text.partition("::")
        assert not path.startswith(("/", "-"))
        assert ".." not in path.split("/")
        assert not set(path + function) & set(" \n\t;&|$`'\"\\")


@given(st.integers())
def test_inputs_stay_in_their_range(number):
    (command,) = read(f"/assayer rerun inputs={number}")
    assert isinstance(command, Rerun) == (1 <= number <= 1000)


def test_a_hostile_comment_is_read_in_reasonable_time():
    import time

    began = time.monotonic()
    for piece in ("[", "*a ", "> ", "`", "<!--", "/assayer stop\n", "![](", "~~"):
        read((piece * 16_384)[:16_000] + "\n\n/assayer stop")
    assert time.monotonic() - began < 60
