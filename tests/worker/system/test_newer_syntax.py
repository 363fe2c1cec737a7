"""Code of Python 3.12 to 3.14 is read by the parser of this one."""

import ast
import sys

import pytest

from worker.system.newer_syntax import NoNewerSyntaxError, needed_python, parsed_as_older

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python parses it all")

WRITTEN = {
    "type Pair = tuple[int, int]\n": "Pair = tuple[int, int]",
    "type Pair[\n    T,\n] = tuple[T, T]\n": "from typing import Any as T\nPair = tuple[T, T]",
    "def f[T: int = str, *Ts, **P](x: T): pass\n": (
        "from typing import Any as T, Any as Ts, Any as P\n\ndef f(x: T):\n    pass"
    ),
    "class Box[T](Base): pass\n": "from typing import Any as T\n\nclass Box(Base):\n    pass",
    '"""Text."""\nfrom __future__ import annotations\ndef f[T](): pass\n': (
        '"""Text."""\nfrom __future__ import annotations\nfrom typing import Any as T\n\n'
        "def f():\n    pass"
    ),
    'x = f"{a["b"]} {f"{c}"}"\n': "x = f\"{a['b']} {f'{c}'}\"",
    "x = f'{\n    a  # one\n}' + b\n": "x = f'{a}' + b",
    "x = f'{a['b']!r:>{w}}'\n": "x = f\"{a['b']!r:>{w}}\"",
    "x = f'{d['é']=}'\n": "x = f\"d['é']={d['é']!r}\"",
    "x = f'a\\x41\\'{{{q['r']}}}\\N{EM DASH}'\n": "x = f\"aA'{{{q['r']}}}—\"",
    "x = rf'\\d{a['b']}'\n": "x = f\"\\\\d{a['b']}\"",
    "x = ('a' f'{q['r']}'\n     'c')\n": "x = f\"a{q['r']}c\"",
    "x = f'{'\\\\'.join(a)!r:>{w}}}}'\n": "x = '{!r:>{}}}}'.format('\\\\'.join(a), w)",
    "x = t'{a} b'\n": "x = f'{a} b'",
    "try:\n    f()\nexcept A, B:\n    pass\n": (
        "try:\n    f()\nexcept (A, B):\n    pass"
    ),
    "try:\n    f()\nexcept* A, B:\n    pass\n": (
        "try:\n    f()\nexcept* (A, B):\n    pass"
    ),
}  # fmt: skip


@pytest.mark.parametrize("source", WRITTEN)
def test_newer_syntax_is_read_as_older(source):
    assert ast.unparse(parsed_as_older(source)) == WRITTEN[source]


def test_lines_and_columns_stay_where_they_are():
    source = "def f[\n    T,\n](x: T):\n    y = f'é{d[\n  'b']}' + x.z\n    return y\n"
    tree = parsed_as_older(source)
    placed = {
        ast.unparse(node): (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr)
    }
    assert placed["d['b']"] == (4, 13, 5, 6)
    assert placed["f\"é{d['b']}\""] == (4, 8, 5, 8)
    assert placed["x.z"] == (5, 11, 5, 14)
    assert placed["y"] == (6, 11, 6, 12)


def test_trees_of_one_text_are_apart():
    source = 'x = f"{a["b"]}"\n'
    first = parsed_as_older(source)
    for node in ast.walk(first):
        if isinstance(node, ast.Name):
            node.id = "changed"
    assert ast.unparse(parsed_as_older(source)) == "x = f\"{a['b']}\""


@pytest.mark.parametrize("source", ["print 'a'\n", "x = f'{a}'\n", "def f(:\n"])
def test_other_code_has_no_newer_syntax(source):
    with pytest.raises(NoNewerSyntaxError):
        parsed_as_older(source)


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("x = 1\n", None),
        ("print 'a'\n", None),
        ("type A = int\n", (3, 12)),
        ('x = f"{a["b"]}"\n', (3, 12)),
        ("try: f()\nexcept A, B: pass\n", (3, 14)),
        ("x = t'{a}'\n", (3, 14)),
    ],
)
def test_needed_python_is_the_first_with_the_syntax(source, python):
    assert needed_python(source) == python
