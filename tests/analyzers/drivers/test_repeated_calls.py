"""Calls that a program leads to are made once more with what they were given."""

import pytest

from analyzers.drivers.repeated_calls import call_again
from analyzers.drivers.usage_programs import Driver, Kind
from analyzers.guest.runtime.programs import ProgramRun
from analyzers.inference.function_lookup import find_function

CODE = """
import functools


def logged(function):
    @functools.wraps(function)
    def inside(*given, **named):
        return function(*given, **named)
    return inside


class Net:
    def __init__(self, width):
        self.width = width

    @property
    def size(self):
        return self.width

    @logged
    def scaled(self, x, /, by, *more, plus=0, **others):
        return x * by * self.width + sum(more) + plus + sum(others.values())

    @staticmethod
    def doubled(x):
        return 2 * x

    @classmethod
    def made(cls, width):
        return cls(width).width

    def run(self, x):
        self.made(5)
        return self.doubled(self.scaled(x, 3, 4, plus=5, far=6))


def apply(function, x):
    return function(x)


def use(x):
    return apply(Net(2).run, x)
"""


def again(function, source="from used_net import use\ny = use(7)"):
    found = find_function("used_net.py", function, {"used_net.py": CODE})
    return call_again(Driver("README.md:3", Kind.DOCUMENT, source), found)


@pytest.mark.parametrize(
    ("function", "result"),
    [("Net.scaled", 57), ("Net.doubled", 114), ("Net.made", 5), ("apply", 114)],
)
def test_call_is_made_with_what_it_was_given(function, result, tmp_path, monkeypatch):
    (tmp_path / "used_net.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    driver = again(function)
    run = ProgramRun(driver.source, str(tmp_path))
    run.run()
    assert run.names["again"] == result
    assert driver.says == f"`{function.rpartition('.')[2]}` called once more"
    assert not driver.guessed


@pytest.mark.parametrize("function", ["Net.__init__", "Net.size", "logged.<locals>.inside"])
def test_what_no_call_by_name_repeats_is_left_out(function):
    assert again(function) is None
