"""Conversion while other threads convert: in a process of its own, since the fault kills it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RACE = """
import gc, sys, threading
import msgspec
from analyzers.vocabulary.conversion import convert

sys.setswitchinterval(1e-6)
gc.set_threshold(50, 2, 2)
TYPES = '''
class A(msgspec.Struct, forbid_unknown_fields=True):
    b: "list[B]"
    c: "dict[str, C]"
class B(msgspec.Struct):
    x: str
    y: "C | None" = None
class C(msgspec.Struct):
    z: "int | str | list[int]" = 3
    w: "A | None" = None
'''
VALUE = {"b": [{"x": "q", "y": {"z": [1]}}], "c": {"k": {"z": 3, "w": {"b": [], "c": {}}}}}
converted = []

def work(kind, together):
    together.wait()
    converted.append(convert(VALUE, kind).b[0].y.z)

for _ in range(300):
    exec(TYPES)
    together = threading.Barrier(4)
    threads = [threading.Thread(target=work, args=(A, together)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(converted == [[1]] * 1200)
"""


def test_types_met_first_by_several_threads_at_once():
    ended = subprocess.run(
        [sys.executable, "-c", RACE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr


def test_nothing_converts_past_the_lock():
    own = (ROOT / "analyzers/vocabulary/conversion.py").read_text()
    places = [
        place for room in ("analyzers", "app", "worker") for place in (ROOT / room).rglob("*.py")
    ]
    texts = [text for text in map(Path.read_text, places) if "msgspec.convert(" in text]
    assert texts == [own]
