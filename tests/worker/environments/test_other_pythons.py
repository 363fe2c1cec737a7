"""Projects for another Python than ours, where one is installed."""

import shutil
from importlib.metadata import version

import pytest

from tests.worker.environments.guests import returned
from tests.worker.environments.sdists import buildable
from worker.environments import interpreters
from worker.environments.interpreters import installed, our_interpreter
from worker.sandbox.isolation import find_isolation

OTHERS = {".".join(each.version.split(".")[:2]): each for each in installed()}
OTHERS.pop(".".join(our_interpreter().version.split(".")[:2]), None)
OTHER = min(OTHERS, key=lambda minor: OTHERS[minor].key, default="")
pytestmark = [
    pytest.mark.skipif(not OTHERS, reason="no other CPython from 3.9 on is installed"),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]
APP = """\
import sys
import shop


def version():
    return "%d.%d" % sys.version_info[:2], shop.VERSION
"""


@pytest.fixture
def files():
    return {"requirements.txt": "shop\n", ".python-version": f"{OTHER}\n", "app.py": APP}


def test_guest_runs_under_the_declared_python(files, environment, index, tmp_path):
    index.wheel("shop", "1.0")
    made = environment(files)
    assert f"Python {OTHERS[OTHER].version}, 1 package" in " | ".join(made.notes)
    assert returned(find_isolation(), made.python, tmp_path / "tree") == f"('{OTHER}', '1.0')"


def test_layer_for_another_python_comes_from_the_index(files, environment, index):
    index.wheel("shop", "1.0")
    index.wheel("crosshair-tool", version("crosshair-tool"))
    index.wheel("hypothesis", "6.141.1")
    index.wheel("pytest", "8.4.0")
    made = environment(files)
    assert (made.layer / "crosshair_tool.py").is_file()
    assert (made.layer / "hypothesis.py").is_file()
    assert (made.layer / "pytest.py").is_file()
    assert f"python{OTHER}" in str(made.layer)
    assert "cannot be had" not in " | ".join(made.notes)


def test_layer_with_a_part_of_the_needs_is_used(files, environment, index):
    index.wheel("shop", "1.0")
    index.wheel("crosshair-tool", version("crosshair-tool"))
    index.wheel("hypothesis", "5.0")
    made = environment(files)
    assert (made.layer / "crosshair_tool.py").is_file()
    said = f"no valid inputs are drawn: hypothesis cannot be had for Python {OTHERS[OTHER].version}"
    assert said in " | ".join(made.notes)
    assert "symbolic" not in " | ".join(made.notes)


@pytest.mark.parametrize("wrong", [None, "0.0.1"])
def test_layer_that_cannot_be_had_is_said(wrong, files, environment, index):
    index.wheel("shop", "1.0")
    if wrong:
        index.wheel("crosshair-tool", wrong)
    made = environment(files)
    assert made.layer is None
    said = f"no symbolic search: crosshair-tool cannot be had for Python {OTHERS[OTHER].version}"
    assert said in " | ".join(made.notes)


def test_source_is_built_under_the_declared_python(files, environment, index):
    before = "assert '%d.%d' % sys.version_info[:2] == " + repr(OTHER)
    index.source("shop", "1.0", buildable("shop", "1.0", before=before))
    made = environment(files, builds=True, isolation=find_isolation())
    assert "built from source in the sandbox: shop==1.0" in " | ".join(made.notes)


@pytest.mark.skipif("3.13" not in OTHERS and "3.12" not in OTHERS, reason="needs Python 3.12")
def test_guest_runs_under_a_python_that_has_the_syntax(environment, index):
    index.wheel("shop", "1.0")
    made = environment({"requirements.txt": "shop\n", "app.py": "type A = int\n"})
    newest = max((each for each in OTHERS.values()), key=lambda each: each.key)
    assert f"Python {newest.version}, 1 package" in " | ".join(made.notes)


def test_syntax_that_no_python_here_has_is_said(environment, index, monkeypatch):
    monkeypatch.setattr(interpreters, "installed", tuple)
    index.wheel("shop", "1.0")
    made = environment({"requirements.txt": "shop\n", "app.py": "type A = int\n"})
    said = "the code has syntax of Python 3.12, which is not installed here: Python 3.11"
    assert said in " | ".join(made.notes)
