"""Threads that parse while garbage is collected do not disturb each other."""

import subprocess
import sys

RACE = """
import ast, gc, sys, threading, time
from worker.check.parser_lock import parse_one_at_a_time

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

parse_one_at_a_time()
parse_one_at_a_time()
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


def test_threads_parse_one_at_a_time():
    ended = subprocess.run(
        [sys.executable, "-c", RACE], capture_output=True, text=True, timeout=600, check=False
    )

    assert ended.returncode == 0, ended.stderr
