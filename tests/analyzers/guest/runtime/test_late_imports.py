"""Modules that a child imports are imported once in the process that forks."""

import os
import sys

from analyzers.guest.runtime import late_imports
from analyzers.guest.runtime.late_imports import LateImports
from analyzers.guest.runtime.time_limits import CLOCK


def test_next_child_finds_what_the_last_one_imported(tmp_path, monkeypatch):
    (tmp_path / "late_example.py").write_text("VALUE = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    late = LateImports()
    child = os.fork()
    if child == 0:
        known = frozenset(sys.modules)
        __import__("late_example")
        late.leave(known)
        os._exit(0)
    os.waitpid(child, 0)
    assert "late_example" not in sys.modules
    late.take()
    assert sys.modules.pop("late_example").VALUE == 3
    late.take()
    assert "late_example" not in sys.modules


def test_module_that_cannot_be_imported_is_passed_over(monkeypatch):
    late = LateImports()
    broken = type(sys)("no_such_module_here")
    broken.__spec__ = "there is one"
    monkeypatch.setitem(sys.modules, "no_such_module_here", broken)
    late.leave(frozenset(sys.modules) - {"no_such_module_here"})
    monkeypatch.delitem(sys.modules, "no_such_module_here")
    late.take()
    assert "no_such_module_here" not in sys.modules


def test_first_imports_of_programs_are_run_once(tmp_path, monkeypatch):
    (tmp_path / "first_example.py").write_text("import sys\nsys.first_times += 1\n")
    (tmp_path / "second_example.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "first_times", 0, raising=False)
    late = LateImports()
    program = (
        "import no_such_module_here\nfrom first_example import sys\nx = 1\nimport second_example"
    )
    late.bring([program, "broken("])
    sys.modules.pop("first_example")
    late.bring([program])
    assert sys.first_times == 1
    assert "second_example" not in sys.modules


def test_import_that_takes_too_long_is_left(tmp_path, monkeypatch):
    (tmp_path / "endless_example.py").write_text("while True:\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(late_imports, "SECONDS", 0.05)
    monkeypatch.setattr(CLOCK, "_importing", 0.0)
    late = LateImports()
    late.bring(["import endless_example"])
    assert "endless_example" not in sys.modules
