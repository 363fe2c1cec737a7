"""Goals, unparsable files and functions asked for by name."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap

import pytest

from analyzers.catalogue import load_catalogue
from analyzers.detection import detect
from analyzers.detection.detector import MOST_BETWEEN, MOST_READ, api_files
from analyzers.detection.file_facts import FactsCache
from analyzers.detection.import_graph import Files
from analyzers.detection.named_imports import NamedImports
from analyzers.guest.instrumentation.goals import decisions
from analyzers.vocabulary import BranchOutcome, ChangeSet
from tests.analyzers.detection.detection_cases import changed, everything
from worker.system.python_parser import parse_newer_pythons

CODE = textwrap.dedent("""
    from google.cloud import vision

    WORDS = ("tax", "total")
    client = vision.ImageAnnotatorClient()

    def ask(image):
        return client.text_detection(image=image).text_annotations

    def check(image, strict):
        texts = ask(image)
        if strict and texts and texts[0].description in WORDS:
            return classify(texts)
        return None

    def classify(texts):
        return "long" if len(texts) > 9 else "short"
""")


def goals(function: str) -> list[str]:
    found = {target.function: target for target in everything({"a.py": CODE}).targets}
    return [goal.id.removeprefix("a.py::") for goal in found[function].goals]


def test_only_clauses_that_depend_on_answers_are_goals():
    assert goals("check")[:8] == [
        "check#0:true",
        "check#0:false",
        "check#0.1:true",
        "check#0.1:false",
        "check#0.2:false",
        "check#0.2='tax':true",
        "check#0.2='total':true",
        "classify#0:true",
    ]


def test_goals_are_points_of_the_guest():
    points = {point for decision in decisions(CODE) for point in decision.points("a.py")}
    for target in everything({"a.py": CODE}).targets:
        assert {goal.id for goal in target.goals} <= points


def test_plain_condition_has_two_goals():
    (target,) = (t for t in everything({"a.py": CODE}).targets if t.function == "check")
    plain = [goal for goal in target.goals if goal.function == "classify"]
    assert [(goal.clause, goal.outcome) for goal in plain] == [
        (None, BranchOutcome.TRUE),
        (None, BranchOutcome.FALSE),
    ]
    assert plain[0].text == "len(texts) > 9"


def test_target_names_its_lines_calls_and_files():
    (target,) = (t for t in everything({"a.py": CODE}).targets if t.function == "check")
    assert (target.line, target.end_line) == (10, 14)
    assert [(call.api, call.function, call.line) for call in target.calls] == [
        ("google.vision.text_detection", "ask", 8)
    ]
    assert target.files == ("a.py",)


def test_carriage_returns_and_wide_characters_keep_places():
    head = CODE.replace('"long"', '"länge"').replace("\n", "\r\n")
    assert [g.id for t in everything({"a.py": head}).targets for g in t.goals] == [
        g.id for t in everything({"a.py": CODE}).targets for g in t.goals
    ]


def test_python_2_is_skipped_with_its_line():
    old = "from google.cloud import vision\nprint 'hello'\n"
    found = changed({}, {"old.py": old})
    assert found.targets == ()
    (skipped,) = found.skipped
    assert skipped.target == "old.py"
    assert "line 2" in skipped.reason
    assert "Python 2" in skipped.reason
    assert not skipped.our_fault


def test_bad_escape_is_skipped_and_the_rest_is_detected():
    found = everything({"a.py": CODE, "b.py": 'PATH = "C:\\Users\\me"\nimport a\n'})
    assert [entry.target for entry in found.skipped] == ["b.py"]
    assert "Python 2" not in found.skipped[0].reason
    assert "check" in {target.function for target in found.targets}


@pytest.fixture
def reading(monkeypatch):
    limit = sys.getrecursionlimit()
    monkeypatch.setattr(ast, "parse", inspect.unwrap(ast.parse))
    parse_newer_pythons()
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize("library", ["torch", "google.cloud.vision"])
@pytest.mark.parametrize("count", [900, 5000])
def test_code_nested_too_deep_is_left_out_and_the_rest_is_detected(library, count):
    chain = "".join(f"    elif n == {each}: return {each}\n" for each in range(1, count))
    deep = f"import {library}\n\ndef kind(n):\n    if n == 0: return 0\n{chain}"
    found = everything({"a.py": CODE, "b.py": f"{deep}\ndef other():\n    return {library}.x()\n"})
    assert [entry.target for entry in found.skipped] == ["b.py"]
    assert "nested too deep" in found.skipped[0].reason
    assert {target.path for target in found.targets} == {"a.py"}


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize(
    "newer",
    ["type Pair[T] = tuple[T, T]", "def f[T](x: T) -> T:\n    return x", 'x = f"{a["b"]}"',
     "try:\n    f()\nexcept A, B:\n    pass", "class A[T]:\n    x: T"],
)  # fmt: skip
def test_newer_syntax_changes_nothing(newer):
    found = everything({"a.py": f"{CODE}\n{newer}\n"})
    assert found.skipped == everything({"a.py": CODE}).skipped
    assert goals_of(found) == goals_of(everything({"a.py": CODE}))


def goals_of(found):
    return [(target.id, [goal.id for goal in target.goals]) for target in found.targets]


def named(*ids: str):
    changes = ChangeSet("repository", "base", None, (), {"a.py": CODE}, {})
    return detect(changes, load_catalogue(), only=ids)


def test_named_function_is_the_only_target():
    assert [target.id for target in named("a.py::ask").targets] == ["a.py::ask"]


def test_named_consumer_is_tested_through_its_caller():
    assert [target.id for target in named("a.py::classify").targets] == ["a.py::check"]


def test_search_that_has_no_time_says_so():
    found = changed({"a.py": CODE}, {"a.py": CODE.replace("> 9", "> 8")}, seconds=0)
    ((target, reason),) = [(each.target, each.reason) for each in found.skipped]
    assert (target, found.targets) == ("a.py", ())
    assert "ended after 0 seconds of processor time, with 0 of 1 files read" in reason


def test_unknown_name_is_skipped_with_a_reason():
    found = named("a.py::nowhere", "b.py::ask")
    assert found.targets == ()
    assert [entry.target for entry in found.skipped] == ["a.py::nowhere", "b.py::ask"]


def test_recursion_ends():
    code = textwrap.dedent("""
        from google.cloud import language

        def ask(text, depth=0, seen=None):
            seen = {"inner": seen, "text": text}
            answer = language.LanguageServiceClient().analyze_sentiment(document=seen)
            if answer.document_sentiment.score < 0 and depth < 3:
                return ask(text[1:], depth + 1, seen)
            return {"next": ask, "seen": seen, "answer": answer}
    """)
    (target,) = everything({"a.py": code}).targets
    assert {goal.clause for goal in target.goals} == {None, 0}


def test_tests_of_the_project_are_no_targets():
    code = "import a\n\ndef test_check():\n    assert a.check(b'', True) is None\n"
    found = everything(
        {"a.py": CODE, "test_a.py": code, "test_drive.py": code.replace("test_", "")}
    )
    assert {target.path for target in found.targets} == {"a.py", "test_drive.py"}


def test_registering_a_function_is_no_call():
    routes = "from django.urls import path\nimport a\n\nurlpatterns = [path('x', a.check)]\n"
    found = everything({"a.py": CODE, "urls.py": routes})
    assert {target.path for target in found.targets} == {"a.py"}


def test_running_a_function_in_a_thread_is_a_call():
    code = textwrap.dedent("""
        from concurrent.futures import ThreadPoolExecutor
        import a

        def both(images):
            with ThreadPoolExecutor() as pool:
                later = pool.submit(a.ask, images[0])
            return len(later.result()) > 2
    """)
    found = everything({"a.py": CODE, "b.py": code})
    (target,) = (target for target in found.targets if target.path == "b.py")
    assert {goal.text for goal in target.goals} == {"len(later.result()) > 2"}


def read_files(helpers: int) -> int:
    """Return how many files are read of an example that asks an API, and what it imports."""
    files = {"helper0.py": "def f(x):\n    return x + 1\n"}
    for number in range(1, helpers + 1):
        files[f"helper{number}.py"] = f"from helper{number - 1} import f\n"
    files["example.py"] = f"import openai\nimport helper{helpers}\n"
    catalogue = load_catalogue()
    known = Files(files, catalogue.libraries, FactsCache(catalogue.mentions))
    return len(api_files(known, NamedImports(known), ["helper0.py"], eager=True).read)


def test_of_many_files_between_an_api_and_a_change_only_those_that_ask_are_read():
    assert read_files(2) == 4
    assert read_files(MOST_BETWEEN + 1) == 1


PACKAGE = {
    "net/__init__.py": "from net.layers import *\nfrom net import chat\nimport net.scale\n",
    "net/layers/__init__.py": "from .norm import Norm, limit as most\n__all__ = ['Norm']\n",
    "net/layers/norm.py": "limit: int = 3\n\nclass Norm:\n    pass\n",
    "net/chat.py": "import openai\nimport net\n\ndef ask(text):\n"
    "    return openai.OpenAI().responses.create(input=text).output_text\n",
    "net/scale.py": "import net\n\ndef scaled(x):\n    return x * net.limit\n",
}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("from net import Norm", "net/layers/norm.py"),
        ("from net.layers import (\n    Norm,  # it\n)", "net/layers/norm.py"),
        ("from net.layers.norm import Norm", "net/layers/norm.py"),
        ("import net.layers as L\nL.Norm()", "net/layers/norm.py"),
        ("import net\nnet.layers.Norm()", "net/layers/norm.py"),
        ("import net\nnet.chat.ask('x')", "net/chat.py"),
        ("from net.chat import ask", "net/chat.py"),
        ("from net import chat", "net/chat.py"),
        ("import net\nmodel.chat.ask('x')", None),
        ("import net", None),
    ],
)
def test_file_uses_the_definitions_that_it_names(text, named):
    known = Files({**PACKAGE, "use.py": f"{text}\n"}, ())
    used = NamedImports(known).imports["use.py"]
    assert (named in used) if named else not {each for each in used if "chat" in each}


def test_in_a_large_project_files_count_that_name_what_changed():
    many = {
        f"net/part{number}.py": f"import net\n\ndef part{number}(x):\n    return net.Norm()\n"
        for number in range(MOST_READ)
    }
    talk = "from net import chat\n\ndef talk(x):\n    return chat.ask(x) == 'yes'\n"
    files = {**PACKAGE, **many, "talk.py": talk}
    known = Files(files, (), FactsCache(load_catalogue().mentions))
    found = api_files(known, NamedImports(known), ["net/part7.py"], eager=False)
    assert (found.read, found.changed) == (frozenset(), frozenset())
    head = {**files, "net/chat.py": files["net/chat.py"].replace("=text", "=text.strip()")}
    targets = {each.function for each in changed(files, head).targets}
    assert targets == {"ask", "talk"}


def test_large_project_has_the_callers_that_name_what_changed():
    scale = "import torch\n\n\ndef scaled(x):\n    return torch.relu(x)\n"
    use = "from net.scale import scaled\nimport torch\n\ndef used(x):\n    return scaled(x)\n"
    other = "import net\nimport torch\n\n\ndef other{}(x):\n    return torch.relu(x)\n"
    many = {f"net/part{number}.py": other.format(number) for number in range(MOST_READ)}
    files = {"net/__init__.py": "import net.scale\n", "net/scale.py": scale, "use.py": use, **many}
    head = {**files, "net/scale.py": scale.replace("(x)\n", "(x) + 1\n")}
    assert {each.function for each in changed(files, head).targets} == {"scaled", "used"}
