"""Parts of a language model's answer that are used though some answers lack them.

Types follow from the request and from annotations, by the declarations of the SDKs
(``data/``).  Any condition before the use that asks about the answer, and any handler around
it, keeps it from being told: a false alarm costs more than a miss.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.rules.cloud_rules import CRASH
from analyzers.rules.source_messages import missing_part
from analyzers.source_checks.answer_values import (
    PROMPT,
    AnswerValue,
    FileScope,
    Function,
    Root,
    is_above,
    is_dictionary,
    is_optional,
)
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.function_walk import FunctionWalk, functions
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.sdk_declarations import (
    Declaration,
    Shape,
    classes,
    element,
    members,
    methods,
    shapes,
    short,
    unions,
)
from analyzers.vocabulary import Json, Level

MODULE = "<module>"
SILENCED = re.compile(r"#\s*(type|pyright|mypy|ty):\s*ignore")
_PASSES = 2
"""How far values are followed from function to function."""
PARSERS = {
    "json.loads": "JSONDecodeError",
    "orjson.loads": "JSONDecodeError",
    "pydantic_core.from_json": "ValueError",
}
_MISSING: Mapping[str, Json] = {"elements": [], "json": '{"a": '}
_OF_ANSWERS = re.compile(r"answer|completion|repl(?:y|ies)|response", re.IGNORECASE)
_TAKING_TEXT = frozenset({"len", "int", "float", "sorted", "sum", "tuple", "set"})
_SEARCHING = frozenset(
    f"re.{name}" for name in ("search", "match", "fullmatch", "findall", "finditer", "split")
)


@dataclass(frozen=True, slots=True)
class _Use:
    """A use that fails for some answers: the expression, what it is made of, the exception."""

    node: ast.expr
    value: AnswerValue
    shape: Shape
    exception: str
    attribute: str = ""
    swallowed: bool = False

    @property
    def is_certain(self) -> bool:
        """Return whether every answer to the request lacks the part at some time."""
        keys = self.value.root.keys
        return self.shape.always or any(keys.get(word) for word in self.shape.certain)

    @property
    def asked_about(self) -> AnswerValue:
        """The value that a guard asks about: that a text is there does not make it JSON."""
        inside = (("", "parsed"),) if self.shape.lacks == "json" else ()
        return replace(self.value, trail=(*self.value.trail, *inside))


@functools.lru_cache(maxsize=64)
def missing_parts(text: str) -> Sequence[Defect]:
    """Return the uses of parts that answers may lack, one for each request of a function."""
    lines = text.splitlines()
    told: set[int | Root] = set()
    found: dict[str, Defect] = {}
    scope, places = places_with_answers(text)
    for name, function in places:
        for use in _unguarded(scope, function):
            level = _level(use)
            silenced = _is_typed(use) and SILENCED.search(lines[use.node.lineno - 1])
            root = use.value.root.line or use.value.root
            if level is not None and not silenced and root not in told:
                told.add(root)
                defect = _defect(use, level, name, text)
                found.setdefault(defect.key, defect)
    return tuple(found.values())


@functools.lru_cache(maxsize=16)
def places_with_answers(text: str) -> tuple[FileScope, list[tuple[str, Function | None]]]:
    """Return a file's scope, and its functions by name; none where it has nothing to do with SDKs.

    What functions return and are given within the file is known then.
    """
    scope = FileScope(parsed(text) or ast.Module([], []))
    if not scope.is_concerned:
        return scope, []
    places: list[tuple[str, Function | None]] = [(MODULE, None), *functions(scope.tree)]
    for _ in range(_PASSES):
        for _, function in places:
            _pass_on(scope, function)
    return scope, places


def _pass_on(scope: FileScope, function: Function | None) -> None:
    """Note what a function returns, and what it gives to others of its file."""
    walk = FunctionWalk(scope, function)
    for node in walk.expressions():
        called = scope.called(node) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and called is not None and not walk.is_caught("TypeError"):
            for argument, given in _given(called, node):
                value = walk.values.of(given)
                if value is not None and not any(_asks(test, value, walk) for test in walk.guards):
                    scope.arguments.setdefault(argument, value)
    results = walk.returned
    if function is None or walk.guards or not results or results[0] is None:
        return
    if all(each == results[0] for each in results) and function.name in scope.functions:
        scope.results[function.name] = results[0]


def _given(function: Function, call: ast.Call) -> Iterator[tuple[ast.arg, ast.expr]]:
    """Yield the parameters of a function with what a call gives for them."""
    plain = [*function.args.posonlyargs, *function.args.args]
    own = plain[:1] if plain and plain[0].arg in ("self", "cls") else []
    if not any(isinstance(each, ast.Starred) for each in call.args):
        yield from zip(plain[len(own) :], call.args, strict=False)
    for each in call.keywords:
        yield from (
            (a, each.value) for a in (*plain, *function.args.kwonlyargs) if a.arg == each.arg
        )


def _unguarded(scope: FileScope, function: Function | None) -> Iterator[_Use]:
    """Yield the uses in a function that no condition, handler or caller provides for."""
    walk = FunctionWalk(scope, function)
    for node in walk.expressions():
        for use in _uses(node, walk):
            if any(_asks(test, use.asked_about, walk) for test in walk.guards):
                continue
            if walk.is_caught(use.exception, each_time=use.is_certain):
                continue
            if use.shape.documented and not use.value.root.line and not _takes_answers(function):
                continue
            if function and not use.value.root.line and _is_tested_by_callers(function, use, scope):
                continue
            yield replace(use, swallowed=walk.is_caught(use.exception))


def _is_typed(use: _Use) -> bool:
    """Return whether a checker of types would tell of a use."""
    return use.shape.lacks in ("value", "member") and not use.value.root.guessed


def _takes_answers(function: Function | None) -> bool:
    """Return whether a function says, by its name or documentation, that it takes an answer."""
    said = (function.name, ast.get_docstring(function) or "") if function else ()
    return any(map(_OF_ANSWERS.search, said))


# ------------------------------------------------------------------ the uses


def _uses(node: ast.AST, walk: FunctionWalk) -> Iterator[_Use]:
    """Yield the uses that an expression or loop makes of something that may be missing."""
    values = walk.values
    match node:
        case ast.Attribute(value=owner, ctx=ast.Load()):
            held = values.of(owner)
            if held is not None:
                yield from _of_nothing(node, held, "AttributeError")
                yield from _of_another_member(node, held, node.attr)
                yield from _accessed(node, values.of(node))
        case ast.Subscript(value=owner, ctx=ast.Load()):
            held = values.of(owner)
            if held is not None:
                yield from _of_nothing(node, held, "TypeError")
                yield from _indexed(node, held, node.slice)
        case ast.Call(func=called, args=[given, *_]) if exception := PARSERS.get(
            values.scope.dotted(called)
        ):
            yield from _of_nothing(node, values.of(given), "TypeError")
            if isinstance(given, ast.BoolOp) and isinstance(given.op, ast.Or):
                given = given.values[0]
            held = values.of(given)
            shape = _shape(held) if held is not None else None
            if held is not None and shape is not None and shape.lacks == "json":
                yield _Use(node, held, shape, exception)
        case _:
            for place, operand in _operands(node, walk.values.scope):
                yield from _of_nothing(place, values.of(operand), "TypeError")


def _operands(node: ast.AST, scope: FileScope) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the operands that must not be ``None``, each with the expression that raises."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from ((node, left), (node, right))
        case ast.AugAssign(target=target, op=ast.Add(), value=value):
            yield from ((value, value), (target, target))
        case ast.For(iter=value) | ast.AsyncFor(iter=value) | ast.comprehension(iter=value):
            yield value, value
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]):
            yield node, value
        case ast.Call(func=called, args=[first, *rest]):
            name = scope.dotted(called)
            if name in _TAKING_TEXT:
                yield node, first
            elif name in _SEARCHING and rest:
                yield node, rest[0]
        case _:
            return


def _of_nothing(node: ast.expr, held: AnswerValue | None, exception: str) -> Iterator[_Use]:
    if held is None or not held.trail or held.taken or not is_optional(held):
        return
    shape = _shape(held)
    if shape is not None and shape.lacks == "value" and not is_dictionary_field(held):
        yield _Use(node, held, shape, exception)


def _accessed(node: ast.expr, held: AnswerValue | None) -> Iterator[_Use]:
    """Yield the access to a property that raises where the answer has no text."""
    shape = _shape(held) if held is not None and held.trail and not held.taken else None
    if held is not None and shape is not None and shape.lacks == "access":
        yield _Use(node, held, shape, "ValueError")


def _of_another_member(node: ast.expr, held: AnswerValue, name: str) -> Iterator[_Use]:
    """Yield the use of an attribute that some members of a union lack."""
    kinds = [each for each in held.members if each in classes()]
    having = [each for each in kinds if _has(each, name)]
    shape = _shape(held) if held.taken or held.union else None
    if shape is None or shape.lacks != "member" or not having or len(having) == len(kinds):
        return
    if "TextBlock" not in map(short, having) and "tool_choice" in held.root.keys:
        return
    yield _Use(node, held, shape, "AttributeError", name)


def _indexed(node: ast.expr, held: AnswerValue, index: ast.expr) -> Iterator[_Use]:
    if isinstance(index, ast.Constant) and isinstance(index.value, str):
        if is_dictionary(held):
            trail = (*held.trail, (held.members[0], index.value))
            part = AnswerValue("any", held.root, trail)
            shape = _shape(part)
            if shape is not None and shape.lacks == "value":
                yield _Use(node, part, shape, "KeyError")
        return
    shape = _shape(held)
    number = index.operand if isinstance(index, ast.UnaryOp) else index
    constant = isinstance(number, ast.Constant) and isinstance(number.value, int)
    if shape is not None and shape.lacks == "elements" and constant and element(held.kind):
        yield _Use(node, held, shape, "IndexError")


def _shape(held: AnswerValue) -> Shape | None:
    if held.union and not held.trail:
        return shapes().get(short(held.union))
    if not held.trail:
        return None
    owner, field = held.trail[-1]
    return shapes().get(f"{owner}.{field}") or shapes().get(f"{short(owner)}.{field}")


def is_dictionary_field(held: AnswerValue) -> bool:
    """Return whether a value was reached by a key, which raises where it is missing."""
    return held.trail[-1][0].startswith("bedrock-runtime.")


def _has(kind: str, name: str) -> bool:
    known = classes().get(kind, {})
    return name in known or name in methods().get(kind, ()) or name.startswith(("_", "model_"))


# ----------------------------------------------------------- level and guards


def _level(use: _Use) -> Level | None:
    """Return the level by what the request asks for; nothing where it is not told."""
    shape, root = use.shape, use.value.root
    if any(word in root.keys for word in shape.unless):
        return None
    if shape.lacks == "access" and not {PROMPT, "contents", "content"}.isdisjoint(root.constants):
        return None
    asked = [root.keys[word] for word in shape.asked if word in root.keys]
    if shape.models and re.match(shape.models, root.constants.get("model", "")):
        asked.append(True)
    if shape.always or any(asked):
        return Level.WARNING if use.swallowed or root.guessed else Level.FAILURE
    chosen = any(word not in root.constants for word in shape.chosen)
    if asked or (shape.unasked or chosen if root.line or root.guessed else shape.unseen):
        return Level.WARNING
    return None


def _is_tested_by_callers(function: Function, use: _Use, scope: FileScope) -> bool:
    """Return whether another function of the file that calls this one reads the same part."""
    part = use.value.trail[-1][1] if use.value.trail else "type"
    for _, other in functions(scope.tree):
        nodes = [each for each in ast.walk(other) if isinstance(each, ast.Attribute | ast.Name)]
        names = {each.attr if isinstance(each, ast.Attribute) else each.id for each in nodes}
        if other is not function and {function.name, part} <= names:
            return True
    return False


def _asks(test: ast.AST, value: AnswerValue, walk: FunctionWalk, *, bare: bool = True) -> bool:
    """Return whether a condition asks something about the answer that a value belongs to.

    That the answer itself, or a part above the value, is there says nothing about the value.
    """
    match test:
        case ast.Name(id=name):
            made, known = walk.derived.get(name), walk.names.get(name)
            if known is None or known.root is not value.root:
                return made is not None and made.root is value.root
            return not (bare and is_above(known, value)) or known.taken
        case ast.Attribute() | ast.Subscript():
            part = walk.values.of(test)
            if part is not None and part.root is value.root:
                return not (bare and is_above(part, value))
            bare = False
        case (
            ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[counted]),
                comparators=[ast.Constant(value=int())],
            )
            | ast.Call(func=ast.Name(id="len" | "bool"), args=[counted])
        ):
            return _asks(counted, value, walk, bare=bare)
        case ast.Call(
            func=ast.Name(id="hasattr" | "getattr"),
            args=[owner, ast.Constant(value=str(name)), *_],
        ):
            return _asks(ast.Attribute(owner, name, ast.Load()), value, walk, bare=bare)
        case (
            ast.Compare(comparators=[ast.Constant(value=None)])
            | ast.UnaryOp(op=ast.Not())
            | ast.BoolOp()
            | ast.NamedExpr()
        ):
            pass
        case _:
            bare = False
    children = ast.iter_child_nodes(test)
    return any(_asks(child, value, walk, bare=bare) for child in children)


# --------------------------------------------------------------- the finding


def _defect(use: _Use, level: Level, function: str, text: str) -> Defect:
    value, root = use.value, use.value.root
    name, declared = _declared(value)
    sdk, said = declared.sdk, declared.declared
    code = ast.get_source_segment(text, use.node) or ast.unparse(use.node)
    asked = next((word for word in use.shape.asked if word in root.keys), "")
    words = missing_part(
        " ".join(code.split()),
        (name, f"{name}: {said}", sdk),
        (use.shape.lacks, use.shape.when, use.exception, use.attribute),
        (root.line, asked),
        swallowed=use.swallowed,
    )
    line = use.node.lineno
    if isinstance(use.node, ast.Attribute | ast.Subscript):
        line = use.node.end_lineno or line
    evidence: dict[str, Json] = {
        "exception": use.exception,
        "answer": {name: _MISSING.get(use.shape.lacks)},
        "declaration": f"{name}: {said}",
        "sdk": sdk,
        "request": root.line,
        "run": False,
    }
    kind = f"{use.exception}:{use.shape.field}"
    return Defect(
        CRASH.id,
        level,
        function,
        line,
        kind,
        words,
        evidence,
        key=f"{function}: {kind}",
        end_line=use.node.end_lineno or line,
    )


def _declared(value: AnswerValue) -> tuple[str, Declaration]:
    if value.trail:
        owner, field = value.trail[-1]
        return field, classes()[owner][field]
    first = members(unions()[value.union])[0]
    sdk = next(iter(classes()[first].values())).sdk
    return "event", Declaration(short(value.union), value.kind, sdk)
