"""From bytes to the text that Python reads."""

import json

import pytest

from worker.changes.python_source import UnreadableError, canonical, line_count, text_of


def notebook(*sources, **metadata):
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return json.dumps({"cells": cells, "metadata": metadata}).encode()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "JSON"),
        (b"[]", "object"),
        (b"[" * 100_000, "JSON"),
        (b"\xff", "UTF-8"),
        (b'{"cells": [3]}', "cells"),
        (b'{"cells": 3}', "cells"),
        (b'{"worksheets": [3]}', "cells"),
        (notebook("x <- 1", language_info={"name": "R"}), "in R"),
        (notebook("x = 1", kernelspec={"language": "julia"}), "julia"),
    ],
)
def test_broken_notebook_is_refused(content, says):
    with pytest.raises(UnreadableError, match=says):
        text_of("n.ipynb", content)


def test_cells_follow_each_other():
    text = text_of("n.ipynb", notebook(["a = 1\n", "b = 2"], "!ls\nc = 3", language_info={}))
    assert text.splitlines() == ["a = 1", "b = 2", "# !ls", "c = 3"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\r\nb", 2), ("a\rb\r", 2), ("a\x0cb\n", 1)],
)
def test_lines_are_counted_as_python_does(text, lines):
    assert line_count(text) == lines
    assert canonical(text).count(b"\n") + (bool(text) and text[-1] not in "\r\n") == lines


def test_encoding_attacks_are_refused():
    for codec in ("punycode", "idna", "undefined", "rot13", "zip", "no_such"):
        with pytest.raises(UnreadableError):
            text_of("a.py", f"# coding: {codec}\n".encode() + b"x" * 1000)
