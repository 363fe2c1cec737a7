"""``ast.parse`` on the host: in threads, of newer Pythons, of code nested too deep."""

import subprocess
import sys

import pytest

RACE = """
import ast, gc, sys, threading, time
from worker.system.python_parser import parse_newer_pythons

class Slow:
    def __init__(self):
        self.me = self
    def __del__(self):
        for _ in range(2000):
            pass

def work():
    while time.monotonic() < until:
        garbage = [Slow() for _ in range(10)]
        try:
            ast.parse(source)
        except SystemError as error:
            told.append(error)

parse_newer_pythons()
parse_newer_pythons()
source, told, until = open(ast.__file__).read(), [], time.monotonic() + 3
sys.setswitchinterval(1e-6)
gc.set_threshold(50, 2, 2)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert ast.literal_eval("(1, 2)") == (1, 2)
sys.exit(str(told[:1]) if told else 0)
"""


@pytest.mark.slow
def test_threads_parse_one_at_a_time():
    ended = subprocess.run(
        [sys.executable, "-c", RACE], capture_output=True, text=True, timeout=600, check=False
    )

    assert ended.returncode == 0, ended.stderr


READING = """
import ast, sys
from worker.system.python_parser import DEEPEST, depth, parse_newer_pythons

parse_newer_pythons()
assert isinstance(ast.parse("type A[T] = list[T]").body[1], ast.Assign)
assert ast.unparse(ast.parse('f"{a["b"]}"', mode="eval")) == "f\\"{a['b']}\\""
try:
    ast.parse("print 'a', type x")
except SyntaxError as error:
    assert error.lineno == 1
else:
    sys.exit("no error")

class Visitor(ast.NodeVisitor):
    pass

def chained(count):
    return "def f(n):\\n    if n: pass\\n" + "    elif n == 1: pass\\n" * count

def added(count):
    return "x = " + " + ".join(["value"] * count)

for made in (chained, added):
    tree = ast.parse(made(DEEPEST - 10))
    Visitor().visit(tree)
    ast.unparse(tree)
    for count in (DEEPEST + 10, 2000, 20000):
        try:
            ast.parse(made(count))
        except (RecursionError, MemoryError):
            continue
        sys.exit(f"{made} {count}")
assert depth(ast.parse("x")) == 4
"""


def test_newer_code_is_read_and_deep_code_refused():
    ended = subprocess.run(
        [sys.executable, "-c", READING], capture_output=True, text=True, timeout=600, check=False
    )

    assert ended.returncode == 0, ended.stderr
