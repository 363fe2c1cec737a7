"""Crashes on a changed line that names what the installed library lacks."""

import pytest

from analyzers.properties.removed_names import as_removed_name
from analyzers.vocabulary import Crashes, Level
from tests.analyzers.benches import IdleBench
from tests.analyzers.samples import finding

OLD = """import numpy as np
from keras import optimizers


def f(x):
    return np.asarray(
        x, dtype=np.float64
    )


def g(x):
    return optimizers.Adam(learning_rate=x)
"""
FLOAT = (
    "module 'numpy' has no attribute 'float'. `np.float` was a deprecated alias."
    " To avoid this error in existing code, use `float` by itself."
)
KEYWORD = "Adam.__init__() got an unexpected keyword argument 'lr'"


class Change(IdleBench):
    """A change of `app.py`, and of nothing else."""

    def __init__(self, head, base=OLD, **others):
        super().__init__({"app.py": head, **others})
        self.before = base

    def base(self, path):
        return None if self.before is None else (path, self.before)


def told(bench, message, line):
    crash = finding(
        rule="property/crash",
        line=line,
        message="It raises.",
        evidence={"message": message, "exception": "AttributeError"},
        criterion=Crashes("AttributeError", "app.py", "f"),
        input_kind="AttributeError",
        probes=(),
    )
    return as_removed_name(crash, bench)


NEW = OLD.replace("np.float64", "np.float")


def test_changed_line_that_names_what_is_missing_is_told():
    found = told(Change(NEW), FLOAT, 6)
    assert (found.rule, found.level) == ("property/removed-api", Level.FAILURE)
    assert found.evidence["name"] == found.input_kind == "numpy.float"
    assert (found.evidence["replacement"], found.evidence["lines"]) == ("float", [7])
    assert found.evidence["exception"] == "AttributeError"
    assert found.message.startswith("It raises.\nIn the installed version of numpy there is no")
    assert isinstance(found.criterion, Crashes)


def test_version_that_the_library_names_is_told():
    said = "module 'numpy' has no attribute 'float_'. `np.float_` was removed in the NumPy 2.0"
    found = told(Change(OLD.replace("np.float64", "np.float_")), f"{said} release.", 6)
    assert (found.evidence["since"], found.evidence["replacement"]) == ("2.0", "")


@pytest.mark.parametrize("base", [OLD, None], ids=["changed file", "new file"])
def test_argument_that_a_library_does_not_take_is_told(base):
    found = told(Change(OLD.replace("learning_rate=", "lr="), base), KEYWORD, 12)
    assert found.evidence["name"] == "keras.optimizers.Adam(lr)"
    assert found.title == (
        "In the installed version of keras `keras.optimizers.Adam` takes no `lr`"
    )


@pytest.mark.parametrize(
    ("bench", "message", "line"),
    [
        (Change(NEW, NEW.replace("g(x)", "h(x)")), FLOAT, 6),
        (Change(NEW), "'float' object has no attribute 'shape'", 6),
        (Change(NEW), FLOAT.replace("'float'", "'float32'"), 6),
        (Change(NEW, **{"numpy/__init__.py": ""}), FLOAT, 6),
        (Change(OLD.replace("optimizers.Adam(learning_rate=", "f(lr=")), KEYWORD, 12),
    ],
    ids=["line as on base", "no module", "another line's name", "own module", "own function"],
)
def test_other_crashes_stay_crashes(bench, message, line):
    assert told(bench, message, line).rule == "property/crash"


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("if np.__version__ < '1.24':", "", "property/crash"),
        ("if sys.version_info < (3, 8):", "", "property/crash"),
        ("if hasattr(np, 'float'):", "", "property/crash"),
        ("try:", "except AttributeError: raise", "property/crash"),
        ("try:", "except ImportError: raise", "property/crash"),
        ("try:", "except ZeroDivisionError: raise", "property/removed-api"),
        ("if x:", "", "property/removed-api"),
    ],
)
def test_guarded_use_stays_a_crash(before, after, rule):
    head = f"{OLD}\n\ndef k(x):\n    {before}\n        return np.float(x)\n    {after}\n"
    line = head[: head.index("np.float(x)")].count("\n") + 1
    assert told(Change(head), FLOAT, line).rule == rule
