import ast
import json

import pytest

from analyzers.guest.runtime.notebook_source import code_of


def notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]})


def test_cells_follow_one_another() -> None:
    text = json.dumps(
        {
            "cells": [
                {"cell_type": "code", "source": ["a = 1\n", "b = 2"]},
                {"cell_type": "markdown", "source": "text"},
                {"cell_type": "code", "source": "c = 3"},
            ]
        }
    )
    assert code_of(text) == "a = 1\nb = 2\nc = 3"


def test_first_format_is_read() -> None:
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1"]}]}]}
    assert code_of(json.dumps(old)) == "a = 1"


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline",
        "pwd",
        "cd data",
        "!pip install x",
        "print?",
        "files = !ls",
        "%%bash\nls -l\nrm x",
    ],
)
def test_magics_become_comments(cell: str) -> None:
    code = code_of(notebook(cell, "x = 1"))
    assert code.count("\n") == cell.count("\n") + 1
    assert [type(node) for node in ast.parse(code).body] == [ast.Assign]


def test_magic_in_a_block_keeps_it() -> None:
    code = code_of(notebook("if True:\n    !ls\n"))
    assert isinstance(ast.parse(code).body[0], ast.If)


def test_timed_cell_still_runs() -> None:
    assert isinstance(ast.parse(code_of(notebook("%%time\nx = 1"))).body[0], ast.Assign)


@pytest.mark.parametrize("text", ["[]", "nothing"])
def test_other_text_is_no_notebook(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        code_of(text)
