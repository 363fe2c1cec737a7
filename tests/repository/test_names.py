"""One name for one thing: classes, files and folders are called as a reader expects."""

import ast
import builtins
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.repository.syntax_trees import tree

ROOT = Path(__file__).parents[2]
TOP_LEVEL = ("app", "worker", "analyzers", "tests")
# code under test, and programs that run as a guest and must be called main.py
NOT_OURS = re.compile(
    r"(^|/)(cases|projects|guests|hostile|zoo|applications?)/|^benchmarks/(interception_suite|trust)/"
)
OFTEN = {"__init__.py", "__main__.py", "conftest.py", "messages.py"}  # one messages.py an analyzer
GRAMMATICAL_FORMS = {
    "nouns", "verbs", "places", "saying", "said", "telling", "told", "asking", "asked", "giving",
    "given", "making", "made", "hearing", "heard", "keeping", "kept", "wishing", "wishes",
    "trying", "trials", "looking", "looks", "standing", "meaning", "mattering", "modest",
    "corners", "endings", "ordinary", "shelves", "shelving", "knobs", "board", "parcels", "desk",
    "office", "clerk", "pen", "ears", "books", "room", "errands", "lanes", "roster", "bell",
    "clock", "tallying", "turns", "occasion", "scene", "currency", "remarks", "flights",
    "patience", "hand",
}  # fmt: skip


def tracked() -> list[Path]:
    listed = subprocess.check_output(["git", "ls-files", "*.py"], cwd=ROOT, text=True).split()
    return [Path(name) for name in listed if not NOT_OURS.search(name) and (ROOT / name).exists()]


def product() -> list[Path]:
    return [path for path in tracked() if path.parts[0] in TOP_LEVEL[:3]]


def parsed(path: Path) -> ast.Module:
    return tree((ROOT / path).read_text("utf-8"))


PUBLIC_CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)


@pytest.mark.parametrize("folder", TOP_LEVEL)
def test_public_class_names_are_unique(folder):
    defined = defaultdict(list)
    for path in tracked():
        if path.parts[0] == folder:
            for name in PUBLIC_CLASS.findall((ROOT / path).read_text("utf-8")):
                defined[name].append(path)
    twice = {name: places for name, places in defined.items() if len(places) > 1}
    found = {name: [str(path) for path in twice[name] if defines(path, name)] for name in twice}
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def defines(path, name):
    """Return whether a file has the class, and not just a text that has it."""
    return any(isinstance(node, ast.ClassDef) and node.name == name for node in parsed(path).body)


def test_no_file_name_is_used_more_than_three_times():
    names = Counter(path.name for path in tracked() if path.name not in OFTEN)
    assert {name: times for name, times in names.items() if times > 3} == {}


def test_no_module_is_called_after_a_grammatical_form():
    assert [str(path) for path in product() if path.stem.strip("_") in GRAMMATICAL_FORMS] == []


def test_folders_are_nested_at_most_four_deep():
    assert [str(path) for path in product() if len(path.parts) > 5] == []
    guest = [path for path in product() if path.parts[:2] == ("analyzers", "guest")]
    assert [str(path) for path in guest if len(path.parts) > 5] == []


QUESTIONS = "Whether|What|How|Where|That|Which|Who|Why|When"
ASKING = re.compile(rf"""^\s*r?(?:\"{{3}}|'{{3}}|")\s*(?:{QUESTIONS})\b""", re.MULTILINE)
QUESTION = re.compile(rf"(?:{QUESTIONS})\b")


def texts() -> list[tuple[Path, str]]:
    return [(path, (ROOT / path).read_text("utf-8")) for path in product()]


def docstrings(path: Path) -> list[tuple[int, str]]:
    """Return the line and the text of each docstring."""
    return [
        (getattr(node, "lineno", 1), ast.get_docstring(node) or "")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_no_docstring_starts_as_a_question():
    started = [
        f"{path}:{line}"
        for path, text in texts()
        if ASKING.search(text)
        for line, docstring in docstrings(path)
        if QUESTION.match(docstring)
    ]
    assert started == []


RAISED = re.compile(r"\b[Rr]aises?\s+(?:``([A-Z]\w+)``|:class:`(\w+)`)")
DEFINED = re.compile(r"^\s*class (\w+)", re.MULTILINE)


def test_errors_that_docstrings_promise_exist():
    sources = texts()
    promised = {
        (path, name) for path, text in sources for name in map("".join, RAISED.findall(text))
    }
    assert len(promised) > 50
    known = {*dir(builtins), *(name for _, text in sources for name in DEFINED.findall(text))}
    unknown = {name for _, name in promised} - known
    imported = re.compile(rf"\b(?:{'|'.join(unknown) or '(?!)'})\b")
    for path in (path for path, text in sources if imported.search(text)):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                known.update(name.asname or name.name for name in node.names)
    assert {(str(path), name) for path, name in promised if name not in known} == set()
