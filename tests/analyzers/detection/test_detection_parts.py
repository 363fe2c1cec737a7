"""Positions, imports and values."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from analyzers.catalogue import load_catalogue
from analyzers.detection.cst_modules import Positions
from analyzers.detection.dataflow.dataflow_values import (
    MAX_DEPTH,
    MAX_MARKS,
    MAX_SIZE,
    NOTHING,
    AnswerMark,
    ParameterMark,
    join,
    make,
    text,
)
from analyzers.detection.dataflow.project_state import ProjectState
from analyzers.detection.file_facts import FactsCache, Imported, imports
from analyzers.detection.import_graph import Files
from analyzers.vocabulary import ApiCall


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_positions_agree_with_those_of_ast(end):
    source = end.join(
        [
            "def f(x):",
            "\tif (x",
            "\t    == 'ü'):",
            "\t\treturn [y for y in x if y]",
            "x = 'é' < f(1)",
        ]
    )
    module = cst.parse_module(source)
    positions = Positions(module, source)
    found = set()

    class Visitor(cst.CSTVisitor):
        def on_visit(self, node):
            if isinstance(node, cst.Comparison | cst.ListComp | cst.Call):
                found.add(positions.span(node))
            return True

    module.visit(Visitor())
    nodes = [
        n
        for n in ast.walk(ast.parse(source))
        if isinstance(n, ast.Compare | ast.ListComp | ast.Call)
    ]
    lines = source.split(end)

    def column(line, offset):
        return len(lines[line - 1].encode()[:offset].decode())

    assert found == {
        (
            n.lineno,
            column(n.lineno, n.col_offset),
            n.end_lineno,
            column(n.end_lineno, n.end_col_offset),
        )
        for n in nodes
    }


def test_imports_are_read_from_the_text():
    source = "import a.b as c, d\nfrom . import (e,  # why\n    f as g)\n"
    source += "if x:\n    from ..h.i import *\n"
    assert list(imports(source)) == [
        Imported(0, "a.b"),
        Imported(0, "d"),
        Imported(1, ""),
        Imported(1, "", "e"),
        Imported(1, "", "f"),
        Imported(2, "h.i"),
    ]


FILES = Files(
    dict.fromkeys(
        [
            *("main.py", "google_vision.py", "scripts/run.py", "scripts/tool.py"),
            *("src/pkg/__init__.py", "src/pkg/openai.py", "src/pkg/deep/mod.py", "openai/x.py"),
        ],
        "",
    ),
    {"openai", "google"},
)


@pytest.mark.parametrize(
    ("importer", "level", "module", "found"),
    [
        ("scripts/run.py", 0, "tool", "scripts/tool.py"),
        ("main.py", 0, "pkg.deep.mod", "src/pkg/deep/mod.py"),
        ("src/pkg/deep/mod.py", 2, "openai", "src/pkg/openai.py"),
        ("src/pkg/__init__.py", 1, "deep.mod", "src/pkg/deep/mod.py"),
        ("src/pkg/deep/mod.py", 0, "google.cloud", None),
        ("google_vision.py", 0, "google_vision", None),
        ("main.py", 0, "json", None),
    ],
)
def test_imports_find_project_files(importer, level, module, found):
    assert FILES.resolve(importer, level, module) == found


def test_values_stay_within_their_size():
    value = text("x")
    for _ in range(5):
        value = make(fields=dict.fromkeys(range(10), value))
        assert value.size <= MAX_SIZE
    assert MAX_SIZE < 10**5


def test_values_stay_within_their_depth():
    value = text("x")
    for _ in range(3 * MAX_DEPTH):
        value = make(fields={"next": value})
    assert value.depth <= MAX_DEPTH


def test_part_of_a_slot_keeps_its_path():
    value = make(frozenset({ParameterMark("f", "x")})).get("labels").element()
    assert value.marks == {ParameterMark("f", "x", ("labels", "*"))}


def test_many_parts_of_a_parameter_count_as_the_whole():
    parts = [ParameterMark("f", "x", (number,)) for number in range(MAX_MARKS + 1)]
    answer = AnswerMark(ApiCall("openai.chat_completions", "a.py", "f", 1))
    assert make(frozenset(parts[1:])).marks == frozenset(parts[1:])
    assert make(frozenset([*parts, answer])).marks == {ParameterMark("f", "x"), answer}
    held = make(fields={"a": make(frozenset(parts[1:])), "b": make(frozenset(parts[:1]))})
    assert held.total == {ParameterMark("f", "x")}


def test_answers_are_followed_through_callers_that_call_each_other():
    slots = [ParameterMark(name, "x") for name in "fgh"]
    answer = AnswerMark(ApiCall("openai.chat_completions", "a.py", "f", 1))
    state = ProjectState(FILES, load_catalogue(), (), 1.0)
    for slot, given in zip(slots, [*slots[1:], slots[0]], strict=True):
        state.write(("argument", slot.function, "x"), make(frozenset({given})))
    assert state.resolved(slots) == NOTHING
    state.write(("argument", "h", "x"), make(frozenset({answer})))
    assert [state.resolved([slot]) for slot in slots] == [{answer}] * 3
    assert state.resolved([answer]) == {answer}


def test_known_field_hides_what_others_depend_on():
    marked = make(frozenset({ParameterMark("f", "x")}))
    record = join(make(fields={"a": marked}), make(fields={"b": text("plain")}))
    assert record.get("b").total == NOTHING
    assert record.total == marked.marks


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("import openai\n", True),
        ("url = 'https://api-inference.huggingface.co/models/a'\n", True),
        ("requests.post(urljoin(base, 'chat/completions'))\n", True),
        ("# as in openai's code\nx = 1\n", False),
        ('def f():\n    """Like openai\'s."""\n', False),
        ("MODEL = 'openai/clip-vit-base-patch16'\n", False),
        ("WEIGHTS = 'https://huggingface.co/kornia/vit/resolve/main/vit.bin'\n", False),
        ("from huggingface_hub import hf_hub_download\n", False),
    ],
)
def test_prose_and_names_of_models_ask_no_api(text, asks):
    assert FactsCache(load_catalogue().mentions).of(text).asks_apis is asks
