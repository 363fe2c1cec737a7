"""Comparisons of two constants, and tests of a text that an earlier, shorter one takes over."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence

from analyzers.guest.provenance.bindings import FUNCTIONS, ancestors
from analyzers.rules.cloud_rules import DEAD_BRANCH, MISUSE
from analyzers.rules.source_messages import compared_constants, taken_over
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.unbound_names import function_name
from analyzers.vocabulary import Level

_OF_TEXTS = frozenset(
    {"casefold", "decode", "endswith", "format", "join", "lower", "lstrip", "read", "replace",
     "rstrip", "split", "splitlines", "startswith", "strip", "title", "upper"}
)  # fmt: skip
_MAKING_TEXTS = _OF_TEXTS - {"endswith", "split", "splitlines", "startswith"}
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@functools.lru_cache(maxsize=64)
def constant_tests(text: str) -> Sequence[Defect]:
    """Return the parts of conditions that have one outcome whatever is tested."""
    tree = parsed(text)
    if tree is None:
        return ()
    found: list[Defect] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            found += _of_chain(node, tree)
        elif isinstance(node, ast.If):
            found += _taken_over(node, tree)
    return tuple(found)


def _of_chain(node: ast.Compare, tree: ast.Module) -> Iterator[Defect]:
    """Yield the two constants that a chained comparison compares."""
    operands = [node.left, *node.comparators]
    links = list(zip(operands, node.ops, node.comparators, strict=False))
    if len(links) < len(("one", "other")) or all(map(_is_number, operands)):
        return
    for left, operator, right in links:
        if _is_number(left) and _is_number(right):
            link = ast.unparse(ast.Compare(left, [operator], [right]))
            code = ast.unparse(node)
            function = function_name(node, tree)
            words = compared_constants(code, link, ast.unparse(node.left))
            kind = f"compared-constants:{code}"
            yield Defect(
                MISUSE.id,
                Level.WARNING,
                function,
                node.lineno,
                kind,
                words,
                {"misuse": "compared-constants", "api": "", "comparison": code},
                key=f"{function}: {kind}",
                end_line=node.end_lineno or node.lineno,
            )


def _is_number(node: ast.expr) -> bool:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(number, ast.Constant) and type(number.value) in (int, float)


def _taken_over(node: ast.If, tree: ast.Module) -> Iterator[Defect]:
    """Yield the test of a chain that an earlier test of a part of its word takes over."""
    inner = next(iter(_looked_for(node.test, ast.And)), None)
    if inner is None:
        return
    word, subject = inner
    for test in _asked_before(node, tree):
        for shorter, other in _looked_for(test, ast.Or):
            if shorter in word and other == subject and _is_text(subject, node, tree):
                function = function_name(node, tree)
                kind = f"constant:{ast.unparse(node.test)}"
                yield Defect(
                    DEAD_BRANCH.id,
                    Level.WARNING,
                    function,
                    node.test.lineno,
                    kind,
                    taken_over(ast.unparse(node.test), (word, shorter), test.lineno),
                    {
                        "goal": f"{ast.unparse(node.test)} true",
                        "proof": "constant-condition",
                        "bound": "any text",
                    },
                    key=f"{function}: {kind}",
                )
                return


def _looked_for(test: ast.expr, operator: type[ast.boolop]) -> list[tuple[str, str]]:
    """Return the words that a test looks for in something, each with where it looks."""
    parts = [test]
    if isinstance(test, ast.BoolOp):
        parts = test.values if isinstance(test.op, operator) else []
    found: list[tuple[str, str]] = []
    for part in parts:
        match part:
            case ast.Compare(
                left=ast.Constant(value=str(word)), ops=[ast.In()], comparators=[subject]
            ) if word:
                found.append((word, ast.unparse(subject)))
            case _:
                pass
    return found


def _asked_before(node: ast.If, tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the tests that are false where this one is asked: of its chain, and of those before."""
    inner: ast.AST = node
    for outer in ancestors(node, tree):
        if isinstance(outer, ast.If) and outer.orelse == [inner]:
            yield outer.test
            inner = outer
            continue
        block = next((b for b in _blocks(outer) if inner in b), [])
        for before in reversed(block[: block.index(inner)] if block else []):
            if not (isinstance(before, ast.If) and not before.orelse):
                return
            if not isinstance(before.body[-1], _LEAVES):
                return
            yield before.test
        return


def _blocks(node: ast.AST) -> Iterator[list[ast.AST]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _is_text(subject: str, node: ast.AST, tree: ast.Module) -> bool:
    """Return whether a function treats an expression as a text, and binds it to nothing else."""
    expression = ast.parse(subject, mode="eval").body
    if _makes_text(expression):
        return True
    scope = next((each for each in ancestors(node, tree) if isinstance(each, FUNCTIONS)), tree)
    values: list[ast.expr | None] = []
    treated = False
    for each in ast.walk(scope):
        match each:
            case ast.Attribute(value=owner, attr=name) if name in _OF_TEXTS:
                treated = treated or ast.unparse(owner) == subject
            case ast.Assign(targets=[target], value=value) if ast.unparse(target) == subject:
                values.append(value)
            case ast.arg(arg=name, annotation=ast.Name(id="str")) if name == subject:
                treated = True
            case ast.For(target=target) | ast.comprehension(target=target):
                values += [None] * (ast.unparse(target) == subject)
            case _:
                pass
    return treated if not values else all(v is not None and _makes_text(v) for v in values)


def _makes_text(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.Call(func=ast.Name(id="str" | "input")):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _MAKING_TEXTS - {"read", "replace", "format"}
        case _:
            return False
