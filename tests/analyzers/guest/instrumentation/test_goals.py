import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.guest.instrumentation.goals import RECORD, Recorder, decisions, instrument


def run(source: str, **given: object) -> tuple[dict, set[str]]:
    module, points = instrument(source, "a.py")
    recorder = Recorder()
    names: dict = {RECORD: recorder, **given}
    exec(compile(module, "a.py", "exec"), names)
    return names, {points[hit] for hit in recorder.hits}


def hits(source: str, **given: object) -> set[str]:
    return {hit.removeprefix("a.py::") for hit in run(source, **given)[1]}


# ----------------------------------------------------------- counting


def test_decisions_are_numbered_per_function() -> None:
    source = """
def f(a):
    def inner(b):
        return b > 1
    if a: pass
    while a: break
class C:
    def m(self):
        assert self
if __name__ == "__main__":
    if f: pass
"""
    found = [(d.function, d.ordinal, d.kind, d.text) for d in decisions(source)]
    assert found == [
        ("f.<locals>.inner", 0, "return-bool", "b > 1"),
        ("f", 0, "if", "a"),
        ("f", 1, "while", "a"),
        ("C.m", 0, "assert", "self"),
        ("__main__", 0, "if", "f"),
    ]


def test_columns_count_characters() -> None:
    (decision,) = decisions("x = 'éé' if 'ü' in x else 0\n")
    assert (decision.column, decision.end_column) == (12, 20)
    assert decision.text == "'ü' in x"


def test_clauses_are_operands_and_links() -> None:
    (decision,) = decisions("if a and not 0 < x <= 5 or any(e > 1 for e in es): pass\n")
    assert [clause.text for clause in decision.clauses] == [
        "a",
        "0 < x",
        "x <= 5",
        "any(e > 1 for e in es)",
        "e > 1",
    ]


def test_single_condition_has_no_redundant_points() -> None:
    (decision,) = decisions("if not x > 3: pass\n")
    assert decision.points("p") == ["p::<module>#0:true", "p::<module>#0:false"]


@pytest.mark.parametrize(
    "source",
    [
        "if x in ('a', 'b'): pass",
        "X = ['a', 'b']\nif x in X: pass",
        "X = {'a': 1, 'b': 2}\nif x in X: pass",
        "X = frozenset({'a'}) | {'b'}\nif x in X: pass",
        "def f():\n    X = ('a', 'b')\n    if x in X: pass",
        "class C:\n    X = ('a', 'b')\n    def f(self):\n        if x in self.X: pass",
    ],
)
def test_constant_containers_give_members(source: str) -> None:
    decision = next(d for d in decisions(source) if d.kind == "if")
    assert sorted(decision.clauses[0].members) == ["'a'", "'b'"]
    assert f"p::{decision.function}#0.0='b':true" in decision.points("p")


@pytest.mark.parametrize(
    "source",
    [
        "X = ['a']\nX = ['b']\nif x in X: pass",
        "def f(X):\n    if x in X: pass",
        "X = ['a']\ndef g():\n    global X\n    X = []\nif x in X: pass",
        "if x in ('a', y): pass",
    ],
)
def test_uncertain_containers_have_no_members(source: str) -> None:
    decision = next(d for d in decisions(source) if d.kind == "if")
    assert decision.clauses == ()


# ---------------------------------------------------------- recording


def test_short_circuit_leaves_clauses_unrecorded() -> None:
    assert hits("if a and b: pass\n", a=0, b=1) == {
        "<module>#0:false",
        "<module>#0.0:false",
    }


def test_members_are_recorded() -> None:
    assert "<module>#0.0='b':true" in hits("if x in ('a', 'b'): pass\n", x="b")


def test_negated_membership_is_recorded() -> None:
    found = hits("if x not in ('a', 'b'): pass\n", x="b")
    assert found == {"<module>#0:false", "<module>#0.0='b':true"}


def test_loops_are_entered_or_skipped() -> None:
    source = "for a in x: pass\n"
    assert hits(source, x=iter([])) == {"<module>#0:false"}
    assert hits(source, x=iter([0])) == {"<module>#0:true"}


def test_taken_handlers_and_cases_are_recorded() -> None:
    source = "try:\n 1 / x\nexcept ZeroDivisionError:\n pass\n"
    assert hits(source, x=0) == {"<module>#0:true"}
    assert hits(source, x=1) == set()
    source = "match x:\n case 1: y = 1\n case _ if x > 2: y = 2\n"
    assert hits(source, x=1) == {"<module>#0:true"}
    assert hits(source, x=2) == {"<module>#2:false"}
    assert hits(source, x=3) == {"<module>#1:true", "<module>#2:true"}


# ---------------------------------------------- meaning stays the same


class Touchy:
    """An object that counts how often its truth is asked."""

    def __init__(self, truth: bool) -> None:
        self.truth, self.asked = truth, 0

    def __bool__(self) -> bool:
        self.asked += 1
        return self.truth


@pytest.mark.parametrize("truth", [True, False])
@pytest.mark.parametrize("source", ["y = t or 7", "y = t and 7", "if t and 1: y = 0", "y = not t"])
def test_truth_is_asked_once(source: str, truth: bool) -> None:
    touchy = Touchy(truth)
    run(source, t=touchy)
    assert touchy.asked == 1


def test_kept_values_are_never_asked() -> None:
    touchy = Touchy(True)
    names, _ = run("y = 0 or t\nz = t == t\nany([1, t])", t=touchy)
    assert names["y"] is touchy
    assert touchy.asked == 0


def test_chained_operands_are_evaluated_once() -> None:
    calls: list[int] = []

    def call(value: int) -> int:
        calls.append(value)
        return value

    names, _ = run("y = c(1) < c(5) < c(3) < c(9)\nif c(0) < c(1) < c(2): pass", c=call)
    assert names["y"] is False
    assert calls == [1, 5, 3, 0, 1, 2]


def test_array_comparisons_are_left_alone() -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(4)
    names, found = run("y = x[x > 1]\nz = (x > 1) & (x < 3)", x=array)
    assert list(names["y"]) == [2, 3]
    assert found == set()


def test_traceback_lines_are_right() -> None:
    source = "x = 1\nif (x\n    and\n    x / 0):\n    pass\n"
    with pytest.raises(ZeroDivisionError) as info:
        run(source)
    assert [entry.lineno for entry in info.traceback][-1] == 3  # 0-based


def test_class_scope_and_generators_still_work() -> None:
    source = """
class C:
    A = [1, 2, 3]
    B = [a for a in A if 1 < a < 3 or a]
def g():
    x = (yield 1) or (yield 2)
    return x and (yield 3)
out = list(g())
"""
    names, _ = run(source)
    assert names["C"].B == [1, 2, 3]
    assert names["out"] == [1, 2]


NAMES = st.sampled_from(["a", "b", "c"])
ATOMS = st.one_of(
    NAMES, st.sampled_from(["0", "1", "''", "'x'", "[]", "[1]", "None", "f(a)", "f(b)"])
)


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["<", "<=", "==", "!=", "is", "is not"])
    return st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {} or {})".format, inner, inner, inner),
        st.builds("(not {})".format, inner),
        st.builds("({} {} {})".format, inner, operators, inner),
        st.builds("({} {} {} {} {})".format, inner, operators, inner, operators, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("({} in (0, 1, 'x'))".format, inner),
        st.builds("any({} for a in [0, 1, b] if {})".format, inner, inner),
        st.builds("all([{}, {}])".format, inner, inner),
        st.builds("[{} for b in (0, 2) if {}]".format, inner, inner),
        st.builds("(lambda c: {})(f(1))".format, inner),
        st.builds("f'{{{}}}'".format, inner.filter(lambda t: "'" not in t)),
    )


EXPRESSIONS = st.recursive(ATOMS, _grow, max_leaves=8)


@st.composite
def programs(draw: st.DrawFn) -> str:
    first, second, third = (draw(EXPRESSIONS) for _ in range(3))
    return f"""
def main(a, b, c):
    out = []
    def f(x):
        out.append(repr(x))
        return x
    try:
        if {first}:
            out.append(1)
        for a in {second} or (): out.append(a)
        while {third}:
            out.append(2)
            if len(out) > 20: break
            {draw(NAMES)} = {second}
        assert {first}, {third}
    except (TypeError, AssertionError) as error:
        out.append(type(error).__name__ + str(error) + str(error.__traceback__.tb_lineno))
    out.append(repr({third}))
    return out
"""


def _behaviour(module: ast.Module, arguments: tuple) -> object:
    names: dict = {RECORD: Recorder()}
    exec(compile(module, "a.py", "exec"), names)
    try:
        return names["main"](*arguments)
    except TypeError as error:
        return str(error), error.__traceback__.tb_next.tb_lineno


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=200, deadline=None)
@given(
    programs(),
    st.tuples(*[st.sampled_from([0, 1, 2, "", "x", None, [3], 1.5])] * 3),
)
def test_instrumented_programs_behave_the_same(source: str, arguments: tuple) -> None:
    module, _ = instrument(source, "a.py")
    assert _behaviour(module, arguments) == _behaviour(ast.parse(source), arguments)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=50, deadline=None)
@given(programs())
def test_points_match_decisions(source: str) -> None:
    _, points = instrument(source, "a.py")
    expected = [point for d in decisions(source) for point in d.points("a.py")]
    assert points == expected
    assert len(points) == len(set(points))
