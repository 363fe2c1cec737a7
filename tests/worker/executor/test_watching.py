"""Which tests of a project may call a target."""

from dataclasses import replace

import pytest

from tests.worker.sessions import target
from worker.executor.project_files import (
    MOST_TESTS,
    declarations,
    functions_of,
    observed_functions,
    related_tests,
)


def test_tests_that_name_the_function_come_first():
    texts = {
        "app.py": "def check(): ...",
        "tests/test_b.py": "import app",
        "tests/a_test.py": "from app import check",
        "tests/test_other.py": "import others, checking",
        "tests/helpers.py": "check()",
    }
    assert related_tests(target(), texts) == ("tests/a_test.py", "tests/test_b.py")


def test_related_tests_a_method_name_its_class():
    texts = {"test_a.py": "Net()", "test_b.py": "forward()"}
    assert related_tests(replace(target(), path="x.py", function="Net.forward"), texts) == (
        "test_a.py",
    )


def test_only_a_few_tests_are_run():
    texts = {f"test_{n}.py": "check" for n in range(MOST_TESTS + 9)}
    assert len(related_tests(target(), texts)) == MOST_TESTS


@pytest.mark.parametrize(
    ("function", "names"),
    [
        ("check", ("check",)),
        ("Net.forward", ("Net.forward", "Net.__init__")),
        ("Net.__init__", ("Net.__init__",)),
        ("outer.<locals>.inner", ("outer.<locals>.inner",)),
    ],
)
def test_calls_of_the_constructor_are_watched_too(function, names):
    found = observed_functions(target(function=function), {})
    assert (tuple(found), tuple(found.values())) == (names, names)


def test_calls_of_inherited_methods_are_those_of_the_base_class():
    text = "class Loss:\n    def forward(self, x): ...\nclass Near(Loss):\n    k = 1\n"
    wanted = target(function="Near.forward")
    assert observed_functions(wanted, {wanted.path: text})["Loss.forward"] == "Near.forward"


def test_functions_of_a_file_are_all_of_them():
    text = "def f(): ...\nclass A:\n    def g(self): ...\n"
    assert functions_of(text) == ("f", "A.g")
    assert functions_of("def broken(") == ()


def test_declarations_are_told_from_code():
    declaring = ["requirements.txt", "requirements/old.txt", "setup.py", "a/environment.yml"]
    others = ["app.py", "README.md", "data/requirements.json"]
    assert declarations([*others, *declaring]) == declaring
