"""Names that a file does not bind, or binds on some paths only, read from its text.

Each is certain where its line runs: what may bind a name in another way (star imports,
``exec``, builtins that are added, an exception that is caught) is left alone, and so are
names in a file without imports, which gets them from elsewhere.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.util
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName

from analyzers.guest.provenance.bindings import (
    FUNCTIONS,
    INJECTED,
    FunctionNode,
    ancestors,
    bindings,
    is_main_guard,
    own_nodes,
)
from analyzers.source_checks.caught_exceptions import (
    BROAD,
    REQUEST_ERRORS,
    catches,
    caught_by,
    named_in,
    passes_on,
)
from analyzers.source_checks.parsed_text import parsed

MODULE, MAIN = "<module>", "__main__"
_OF_MODULES = frozenset(("__file__", "__name__", "__path__", "__module__", "__qualname__"))
_DYNAMIC = re.compile(r"\b(exec|globals|__builtins__|builtins|__builtin__|install)\b")
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_EXITS = frozenset(("exit", "quit", "_exit", "abort", "fail", "skip"))
_ENDING = ("parser.error", "st.stop", "st.rerun", "streamlit.stop", "st.switch_page")
_SAFE = re.compile(
    r"(time|datetime|uuid|logging|logger|log|os\.environ|os\.path|random|re|string|asyncio)\b"
    r"|.*\.(get|strip|split|lower|upper|format|join|copy|items|keys|values|append|now|debug|info)$"
)
"""Calls that fail by no fault of a service."""
_TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))
_NESTED = (*FUNCTIONS, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True)
class UnboundName:
    """A name that is read unbound: where, in which function, and how one comes there.

    ``way`` is ``undefined``: nothing binds it; ``failed``: a caught exception comes before
    its binding; ``handler``: the handler of such an exception reads it; ``flag``: the attribute
    ``over`` is false; ``empty``: the loop over ``over`` that binds it has nothing to go through;
    ``other``: none of the conditions from line ``over`` on, under which it is bound, holds.
    """

    name: str
    function: str
    line: int
    way: str
    bound_at: int = 0
    over: str = ""

    @property
    def key(self) -> str:
        """The identity over shifts of lines."""
        return f"{self.way} {self.function}: {self.name}"


@functools.lru_cache(maxsize=64)
def unbound_names(text: str) -> Sequence[UnboundName]:
    """Return what a file reads unbound, each name once a function; nothing if it has no syntax."""
    tree = parsed(text)
    if tree is None:
        return ()
    found: dict[str, UnboundName] = {}
    scopes = (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))
    partly = (
        each for scope in scopes for each in (*_of_scope(scope, tree), *_in_handlers(scope, tree))
    )
    for each in (*_undefined(tree, text), *partly, *_of_module(tree, text)):
        found.setdefault(each.key, each)
    return tuple(found.values())


def unbound_calls(text: str) -> dict[str, int]:
    """Return the names that a file calls and binds nowhere, with the first line of each."""
    tree = parsed(text)
    if tree is None:
        return {}
    imports = [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
    if not imports or _DYNAMIC.search(text) or any(map(_is_star, imports)):
        return {}
    bound = {*dir(builtins), *INJECTED, *_bound_anywhere(tree)}
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id not in bound:
            found[called.id] = min(called.lineno, found.get(called.id, called.lineno))
    return found


def function_name(node: ast.AST, tree: ast.AST) -> str:
    """Return the qualified name of the function that evaluates a node.

    ``<module>`` for what runs as the file is loaded, ``__main__`` for its main block.
    """
    parts: list[str] = []
    inner = node
    for outer in ancestors(node, tree):
        if isinstance(outer, FUNCTIONS) and inner in outer.body:
            parts += ["<locals>", outer.name] if parts else [outer.name]
        elif isinstance(outer, ast.ClassDef) and parts:
            parts.append(outer.name)
        elif is_main_guard(outer) and isinstance(tree, ast.Module) and outer in tree.body:
            parts = parts or [MAIN]
        inner = outer
    return ".".join(reversed(parts)) if parts else MODULE


# ------------------------------------------------------------- bound nowhere


def _undefined(tree: ast.Module, text: str) -> Iterator[UnboundName]:
    imports = [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
    stars = [n for n in imports if _is_star(n)]
    if not imports or _DYNAMIC.search(text) or not all(map(_says_what_it_exports, stars)):
        return
    futures = (n.names for n in imports if getattr(n, "module", "") == "__future__")
    late = any(each.name == "annotations" for names in futures for each in names)
    for node in _undefined_by_pyflakes(tree, starred=bool(stars)):
        if stars and not _is_missing_module(node, tree):
            continue
        if not is_spared(node, tree, late=late) and not is_announced(node, tree):
            yield UnboundName(node.id, function_name(node, tree), node.lineno, "undefined")


def is_announced(node: ast.Name, tree: ast.Module) -> bool:
    """Return whether a decorator around a name spells it in quotes, as it supplies it."""
    decorators = (
        each for outer in ancestors(node, tree) for each in getattr(outer, "decorator_list", ())
    )
    return any(
        isinstance(each, ast.Constant) and each.value == node.id
        for decorator in decorators
        for each in ast.walk(decorator)
    )


def _undefined_by_pyflakes(tree: ast.Module, *, starred: bool) -> list[ast.Name]:
    """Return the names that pyflakes finds undefined, in order; none in code nested too deep.

    Where a star import may bind any name, those that nothing else binds.
    """
    loads = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    if starred:
        bound = {*dir(builtins), *INJECTED, *_OF_MODULES, "__class__", *_bound_anywhere(tree)}
        return [node for node in loads if node.id not in bound]
    places = {(n.lineno, n.col_offset): n for n in loads}
    try:
        messages = Checker(tree).messages
    except RecursionError:
        return []
    told = (each for each in messages if isinstance(each, UndefinedName))
    found = (places.get((each.lineno, each.col)) for each in told)
    return [node for node in found if node is not None and node.id not in INJECTED]


def _is_star(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names)


def _says_what_it_exports(node: ast.AST) -> bool:
    """Return whether a star import takes what an installed module lists, and no more."""
    module = node.module if isinstance(node, ast.ImportFrom) and not node.level else None
    if not module or "." in module:
        return False
    try:
        found = importlib.util.find_spec(module)
        origin = found.origin if found is not None else None
        tree = ast.parse(Path(origin).read_text("utf-8")) if origin else None
    except (ImportError, OSError, SyntaxError, ValueError, UnicodeDecodeError):
        return False
    listed = [
        statement.value
        for statement in getattr(tree, "body", ())
        if isinstance(statement, ast.Assign) and "__all__" in map(ast.unparse, statement.targets)
    ]
    return len(listed) == 1 and isinstance(listed[0], (ast.List, ast.Tuple))


def _is_missing_module(node: ast.Name, tree: ast.AST) -> bool:
    """Return whether a part of one of the standard library's modules is taken of a name."""
    owned = any(isinstance(n, ast.Attribute) and n.value is node for n in ast.walk(tree))
    return owned and node.id in getattr(sys, "stdlib_module_names", ())


def _bound_anywhere(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names
        else:
            name: Any = getattr(node, "name", None)
            if isinstance(name, str):
                yield name
            rest: Any = getattr(node, "rest", None)
            if isinstance(rest, str):
                yield rest


def is_spared(node: ast.AST, tree: ast.AST, *, late: bool = False) -> bool:
    """Return whether an expression is not evaluated, or its failing is provided for.

    ``late``: annotations are not evaluated.
    """
    inner = node
    for outer in ancestors(node, tree):
        if _is_annotation(outer, inner) and (late or _is_of_local(outer, tree)):
            return True
        if _is_caught(outer, inner) or _is_never_run(outer, inner):
            return True
        inner = outer
    return False


def _is_annotation(outer: ast.AST, inner: ast.AST) -> bool:
    if isinstance(outer, (ast.arg, ast.AnnAssign)):
        return inner is outer.annotation
    return isinstance(outer, FUNCTIONS) and inner is outer.returns


def _is_of_local(outer: ast.AST, tree: ast.AST) -> bool:
    """Return whether an annotation is a local variable's, which nobody evaluates."""
    return isinstance(outer, ast.AnnAssign) and function_name(outer, tree) not in (MODULE, MAIN)


def _is_caught(outer: ast.AST, inner: ast.AST) -> bool:
    tried: Any = outer
    if not isinstance(outer, _TRIES) or inner not in tried.body:
        return False
    return any(
        catches(caught_by(each), "UnboundLocalError") and not passes_on(each)
        for each in tried.handlers
    )


def _is_never_run(outer: ast.AST, inner: ast.AST) -> bool:
    """Return whether a branch is for type checkers, another Python or nobody."""
    if not isinstance(outer, (ast.If, ast.IfExp)) or inner is outer.test:
        return False
    shown = ast.unparse(outer.test)
    constant = isinstance(outer.test, ast.Constant)
    return constant or re.search(r"TYPE_CHECKING|version|PY[23]|hasattr|six\.", shown) is not None


# ------------------------------------------------------ bound on some paths


_Scope = FunctionNode | ast.Module


def _of_module(tree: ast.Module, text: str) -> Iterator[UnboundName]:
    """Yield what the code outside functions reads though the call that gives it may have failed."""
    dynamic = _DYNAMIC.search(text) or any(map(_is_star, ast.walk(tree)))
    for each in () if dynamic else (*_of_scope(tree, tree), *_in_handlers(tree, tree)):
        if each.way in ("failed", "handler") and not hasattr(builtins, each.name):
            yield each


def _of_scope(scope: _Scope, tree: ast.Module) -> Iterator[UnboundName]:
    outside = _foreign(scope)
    reads = [n for n in own_nodes(scope) if isinstance(n, ast.Name)]
    for name, known in bindings(scope).items():
        stores = [
            node.lineno for node in reads if node.id == name and not isinstance(node.ctx, ast.Load)
        ]
        if not stores or name in outside or len(stores) != len(known):
            continue
        loads = (n for n in reads if n.id == name and isinstance(n.ctx, ast.Load))
        later = sorted((n for n in loads if n.lineno > max(stores)), key=lambda n: n.lineno)
        nodes = [each.node for each in known]
        ways = (
            (each, _way(_statement_before(each, nodes, scope, tree), nodes, scope))
            for each in later
        )
        load, way = next(((load, way) for load, way in ways if way), (None, ()))
        if load is not None and way:
            function = function_name(load, tree)
            yield UnboundName(name, function, load.lineno, way[0], min(stores), way[1])


def _in_handlers(scope: _Scope, tree: ast.Module) -> Iterator[UnboundName]:
    """Yield what a handler of failed requests reads though its ``try`` alone binds it."""
    outside = _foreign(scope)
    known = bindings(scope)
    tries: list[Any] = [each for each in own_nodes(scope) if isinstance(each, _TRIES)]
    for tried in tries:
        body = {node for part in tried.body for node in ast.walk(part)}
        for load in _reads_on_failure(tried):
            stores = [each.node for each in known.get(load.id, ()) if _begins(each.node, load)]
            within = bool(stores) and load.id not in outside and body.issuperset(stores)
            within = within and all(_assigns(each, load.id) for each in stores)
            if within and _may_fail_before(body, stores, scope) and not _is_asked_for(load, tree):
                first = min(getattr(each, "lineno", 0) for each in stores)
                yield UnboundName(load.id, function_name(load, tree), load.lineno, "handler", first)


def _reads_on_failure(tried: Any) -> Iterator[ast.Name]:
    """Yield the names that the handlers of everything, or of requests, read, in order."""
    for handler in tried.handlers:
        if caught_by(handler) & (BROAD | REQUEST_ERRORS):
            nodes = (node for part in handler.body for node in [part, *own_nodes(part)])
            loads = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
            yield from sorted(loads, key=lambda each: (each.lineno, each.col_offset))


def _begins(store: ast.AST, load: ast.Name) -> bool:
    """Return whether a binding does not come after the handler that reads the name."""
    return getattr(store, "lineno", 0) <= load.lineno


def _assigns(node: ast.AST, name: str) -> bool:
    """Return whether a statement assigns to a name itself, not to a part of what it holds."""
    inner = ast.walk(node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else ()
    return any(
        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
        for each in inner
    )


def _may_fail_before(body: set[ast.AST], stores: Sequence[ast.AST], scope: _Scope) -> bool:
    """Return whether a call that may fail comes before each assignment, or gives its value."""
    given = _parameters(scope)
    calls = (node for node in body if isinstance(node, ast.Call) and _may_fail(node.func, given))
    return any(_precedes(call, stores) for call in calls)


def _may_fail(called: ast.expr, given: set[str]) -> bool:
    if isinstance(called, ast.Name):
        return called.id in given
    return isinstance(called, ast.Attribute) and not _SAFE.match(ast.unparse(called))


def _is_asked_for(load: ast.Name, tree: ast.Module) -> bool:
    """Return whether a condition or a nested ``try`` is around a reading within its handler."""
    inner: ast.AST = load
    for outer in ancestors(load, tree):
        if isinstance(outer, ast.ExceptHandler):
            return False
        conditional = isinstance(outer, (ast.If, ast.IfExp, ast.While, ast.BoolOp))
        if conditional or _is_caught(outer, inner) or isinstance(outer, _NESTED):
            return True
        inner = outer
    return True


def _foreign(scope: _Scope) -> frozenset[str]:
    """Return the names that are no locals of a scope, or are bound whenever it runs."""
    found = _parameters(scope)
    nodes = ast.walk(scope) if isinstance(scope, ast.Module) else own_nodes(scope)
    for node in nodes:
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, ast.Delete):
            found.update(named_in(node))
    return frozenset(found)


def _parameters(scope: _Scope) -> set[str]:
    given = () if isinstance(scope, ast.Module) else ast.walk(scope.args)
    return {each.arg for each in given if isinstance(each, ast.arg)}


def _statement_before(
    load: ast.Name, stores: Sequence[ast.AST], scope: _Scope, tree: ast.Module
) -> ast.stmt | None:
    """Return the statement that holds all bindings and comes before the reading for certain."""
    inner: ast.AST = load
    for outer in ancestors(load, tree):
        if isinstance(outer, _NESTED) or _is_caught(outer, inner):
            if outer is not scope:
                return None
        elif isinstance(outer, (ast.IfExp, ast.BoolOp)) and not _is_first(outer, inner):
            return None
        for block in _blocks(outer):
            if inner in block:
                earlier = block[: block.index(inner)]
                return next((each for each in earlier if _holds(each, stores)), None)
        if outer is scope:
            return None
        inner = outer
    return None


def _is_first(outer: ast.AST, inner: ast.AST) -> bool:
    if isinstance(outer, ast.IfExp):
        return inner is outer.test
    return isinstance(outer, ast.BoolOp) and inner is outer.values[0]


def _blocks(node: ast.AST) -> Iterator[list[Any]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _holds(statement: ast.AST, stores: Sequence[ast.AST]) -> bool:
    inside = set(ast.walk(statement))
    return all(each in inside for each in stores)


def _way(statement: ast.stmt | None, stores: Sequence[ast.AST], scope: _Scope) -> Sequence[str]:
    if isinstance(statement, _TRIES):
        return ("failed", "") if _is_swallowed(statement, stores) else ()
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        inside = any(each in set(ast.walk(part)) for part in statement.orelse for each in stores)
        return () if inside else ("empty", ast.unparse(statement.iter))
    if isinstance(statement, ast.If):
        if _is_under_a_flag(statement, stores, scope):
            return "flag", ast.unparse(statement.test)
        tests = _tests(statement, stores)
        return ("other", str(statement.lineno)) if tests and _leaves_room(tests) else ()
    return ()


def _is_under_a_flag(statement: ast.If, stores: Sequence[ast.AST], scope: _Scope) -> bool:
    """Return whether a setting decides alone, and nowhere else, over what its branch binds."""
    test = statement.test
    own = isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name)
    if statement.orelse or not own or not all(each in statement.body for each in stores):
        return False
    code = ast.unparse(test)
    nodes = (each for each in own_nodes(scope) if isinstance(each, (ast.Attribute, ast.Name)))
    return sum(ast.unparse(each) == code for each in nodes) == 1


def _is_swallowed(tried: Any, stores: Sequence[ast.AST]) -> bool:
    """Return whether a handler goes on without the name, which a call of its body may do."""
    body = set().union(*(set(ast.walk(part)) for part in tried.body))
    if not all(each in body for each in stores) or tried.finalbody:
        return False
    first = min(getattr(each, "lineno", 0) for each in stores)
    risky = any(
        isinstance(node, ast.Call) and node.lineno <= first + 40 and _precedes(node, stores)
        for node in body
    )
    return risky and any(not _leaves(handler.body) for handler in tried.handlers)


def _precedes(call: ast.Call, stores: Sequence[ast.AST]) -> bool:
    """Return whether a call comes before each binding, or gives its value."""
    return all(
        call.lineno < getattr(each, "lineno", 0) or call in set(ast.walk(each)) for each in stores
    )


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Return whether a block leaves, on every path that matters, what is around it."""
    last = body[-1]
    if isinstance(last, _LEAVING):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return _leaves(last.body)
    called = [n.func for each in body for n in ast.walk(each) if isinstance(n, ast.Call)]
    return any(map(leaves, called))


def leaves(called: ast.expr) -> bool:
    """Return whether a function that is called never returns, by its name."""
    name = ast.unparse(called)
    return name.rpartition(".")[2] in _EXITS or name.endswith(_ENDING)


def _tests(statement: ast.If, stores: Sequence[ast.AST]) -> list[ast.expr]:
    """Return the tests of a chain without ``else`` whose every branch binds the name, or leaves."""
    tests: list[ast.expr] = []
    current: ast.stmt = statement
    while isinstance(current, ast.If):
        binds = any(each in current.body for each in stores)
        if not binds and not _leaves(current.body):
            return []
        tests.append(current.test)
        if not current.orelse:
            return tests
        if len(current.orelse) != 1:
            return []
        current = current.orelse[0]
    return []


def _leaves_room(tests: Sequence[ast.expr]) -> bool:
    """Return whether some value of the one thing that is tested meets no test of a chain."""
    subjects = {ast.unparse(subject) for test in tests for subject in _subjects(test)}
    values = [value for test in tests for value in _constants(test)]
    if len(subjects) != 1 or not values:
        return False
    if all(isinstance(value, str) for value in values):
        return True
    numbers = sorted(float(value) for value in values if not isinstance(value, str))
    if len(numbers) != len(values):
        return False
    between = [(a + b) / 2 for a, b in itertools.pairwise(numbers)]
    tried = [numbers[0] - 1, *numbers, *between, numbers[-1] + 1]
    return any(not any(_true_of(test, number) for test in tests) for number in tried)


_NOTHING = ast.Name("<one thing>", ast.Load()), ast.Name("<and another>", ast.Load())


def _subjects(test: ast.expr) -> Iterator[ast.expr]:
    """Yield what comparisons with constants are about; two things where a test is none."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _subjects(value)
        return
    if not isinstance(test, ast.Compare) or any(
        isinstance(op, (ast.NotEq, ast.NotIn, ast.Is, ast.IsNot)) for op in test.ops
    ):
        yield from _NOTHING
        return
    operands = [test.left, *test.comparators]
    plain = (ast.Name, ast.Attribute, ast.Subscript)
    open_ = [each for each in operands if not list(_literals(each))]
    substring = isinstance(test.ops[0], ast.In) and bool(list(_literals(test.left)))
    if len(open_) == 1 and isinstance(open_[0], plain) and not substring:
        yield open_[0]
    else:
        yield from _NOTHING


def _constants(test: ast.expr) -> Iterator[Any]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            for each in (node.left, *node.comparators):
                yield from _literals(each)


def _literals(node: ast.expr) -> Iterator[Any]:
    if isinstance(node, ast.Constant) and type(node.value) in (str, int, float):
        yield node.value
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from (-value for value in _literals(node.operand) if not isinstance(value, str))
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for each in node.elts:
            yield from _literals(each)


def _true_of(test: ast.expr, number: float) -> bool:
    """Return whether a test holds of a number, true where that cannot be told."""
    if isinstance(test, ast.BoolOp):
        outcomes = [_true_of(value, number) for value in test.values]
        return any(outcomes) if isinstance(test.op, ast.Or) else all(outcomes)
    assert isinstance(test, ast.Compare)
    operands: list[Any] = []
    for each in (test.left, *test.comparators):
        literals = list(_literals(each))
        operands.append(literals if isinstance(each, (ast.List, ast.Tuple, ast.Set)) else
                        literals[0] if literals else number)  # fmt: skip
    for left, op, right in zip(operands, test.ops, operands[1:], strict=False):
        if not _holds_of(left, op, right):
            return False
    return True


def _holds_of(left: Any, op: ast.cmpop, right: Any) -> bool:
    if isinstance(op, ast.In):
        return not isinstance(right, list) or left in right
    if isinstance(op, ast.Eq):
        return bool(left == right)
    if isinstance(left, list) or isinstance(right, list) or not isinstance(op, _ORDERS):
        return True
    below, same = left < right, left == right
    if isinstance(op, (ast.Lt, ast.LtE)):
        return below or (same and isinstance(op, ast.LtE))
    return not below and (not same or isinstance(op, ast.GtE))
