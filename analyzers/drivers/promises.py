"""Promises of a call in a program: statements that compute a related result, and a condition.

Whether a promise should hold at all, base says.  The arguments of the call are bound to names
first, so that a related call can be made of the same values.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyzers.drivers.definitions import Definitions, Function

RESULT = "result"
MOST_PARTS = 3
LEAST_PLACES = 2
Described = Mapping[str, Any]
_LIBRARIES = frozenset(
    {"copy", "einops", "functools", "itertools", "math", "numpy", "os", "random", "re", "torch"}
)
_BUILTINS = frozenset(
    {"abs", "dict", "enumerate", "float", "getattr", "hasattr", "int", "isinstance", "len", "list"}
    | {"max", "min", "next", "print", "range", "repr", "set", "sorted", "str", "sum", "super"}
    | {"tuple", "type", "zip"}
)
_TENSORS = frozenset({"Tensor", "Parameter"})
_FLOATS = re.compile(r"^(torch\.)?float(32|64)$")
_NEEDED = ("copy", "numpy", "torch")
_MASK = re.compile(r"mask", re.IGNORECASE)
_KEPT = re.compile(r"cache|past|state|hidden|memor|mems|prev", re.IGNORECASE)
_HANDS_OUT = re.compile(r"^(return|output|get)_")
_DRAWN = re.compile(r"^torch\.(randn|rand|ones|zeros|linspace|full|normal)$")
_DRAWN_LIKE = re.compile(r"^torch\.(randn|rand)_like$")
_HALF = re.compile(r"double|half|float64|float16|dtype|\.to\(")


@dataclass(frozen=True, slots=True)
class Promise:
    """A relation between calls: what it is called, and ``about`` what it is, where that matters.

    ``before`` are statements before the call, ``after`` those behind it; ``condition`` is an
    expression over the program's names with ``near``, which compares up to rounding.
    """

    name: str
    condition: str
    after: str = ""
    before: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class CalledProgram:
    """The statements of a program before a call, and the call, whose arguments have names."""

    first: tuple[ast.stmt, ...]
    call: ast.Call

    @property
    def source(self) -> str:
        """The program up to the call, whose result is bound."""
        return self.extended(Promise("", ""))

    def extended(self, promise: Promise) -> str:
        """Return the program with the statements of a promise."""
        bound = f"{RESULT} = {ast.unparse(self.call)}"
        parts = (*map(ast.unparse, self.first), promise.before, bound, promise.after)
        text = "\n".join(filter(None, parts))
        used = f"{promise.before}\n{promise.after}\n{promise.condition}"
        needed = [e for e in _NEEDED if re.search(rf"\b{e}\.", used)]
        lines = [f"import {e}" for e in needed if not re.search(rf"^import {e}$", text, re.M)]
        return "\n".join((*lines, text))

    @property
    def function(self) -> str:
        """The expression that is called."""
        return ast.unparse(self.call.func)

    @property
    def instance(self) -> str:
        """The variable whose method or ``__call__`` is called, or the first part of a path."""
        return self.function.partition(".")[0]

    @property
    def arguments(self) -> list[tuple[str, str]]:
        """The names of parameters that are given variables, as far as known, and of those."""
        placed = [("", each) for each in self.call.args]
        named = [(each.arg or "", each.value) for each in self.call.keywords]
        return [(name, v.id) for name, v in (*placed, *named) if isinstance(v, ast.Name)]

    def again(self, other: Mapping[str, str], function: str = "", **more: str) -> str:
        """Return the call with other expressions for variables, and with ``more`` keywords."""
        call = copy.deepcopy(self.call)
        call.args = [_replaced(each, other) for each in call.args]
        call.keywords = [k for k in call.keywords if k.arg not in more]
        for each in call.keywords:
            each.value = _replaced(each.value, other)
        call.keywords += [ast.keyword(name, _parsed(text)) for name, text in more.items()]
        if function:
            call.func = _parsed(function)
        return ast.unparse(call)

    def made(self) -> ast.Call | None:
        """Return the constructor call that the instance was bound to, if the program has one."""
        for each in reversed(self.first):
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == self.instance:
                return each.value if isinstance(each.value, ast.Call) else None
        return None


def _replaced(node: ast.expr, other: Mapping[str, str]) -> ast.expr:
    name = node.id if isinstance(node, ast.Name) else ""
    return _parsed(other[name]) if name in other else node


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


# ------------------------------------------------------------------ calls


def called_program(source: str, binding: str = "") -> CalledProgram | None:
    """Return the program up to its last call of something that no library has.

    ``binding``: the last one in a statement that binds this name.
    """
    tree = ast.parse(source)
    libraries = set(_library_names(tree)) | _BUILTINS
    for first, statement in _reversed(tree.body):
        if binding and binding not in _bound(statement):
            continue
        value = getattr(statement, "value", None)
        call = next(_calls(value, libraries), None) if isinstance(value, ast.expr) else None
        if call is not None:
            return _named(first, copy.deepcopy(call), _used(tree))
    return None


def _reversed(body: Sequence[ast.stmt]) -> Iterator[tuple[Sequence[ast.stmt], ast.stmt]]:
    """Yield the statements with those before them, from the last, also those without gradients."""
    for place in reversed(range(len(body))):
        each = body[place]
        if isinstance(each, ast.With) and "no_grad" in ast.unparse(each.items[0]):
            for first, inner in _reversed(each.body):
                yield [*body[:place], *first], inner
        else:
            yield body[:place], each


def _bound(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _library_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that imports of libraries bind."""
    for each in tree.body:
        if isinstance(each, ast.Import):
            for name in each.names:
                if name.name.partition(".")[0] in _LIBRARIES:
                    yield name.asname or name.name.partition(".")[0]
        elif isinstance(each, ast.ImportFrom):
            known = (each.module or "").partition(".")[0] in _LIBRARIES
            yield from (name.asname or name.name for name in each.names if known)


def _calls(value: ast.expr, libraries: set[str]) -> Iterator[ast.Call]:
    """Yield the calls with arguments in an expression, the outermost first."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and (node.args or node.keywords):
            root: ast.expr = node.func
            name = root.attr if isinstance(root, ast.Attribute) else getattr(root, "id", "")
            while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
                root = root.func if isinstance(root, ast.Call) else root.value
            known = isinstance(root, ast.Name) and root.id in libraries
            plain = [*node.args, *(each.value for each in node.keywords)]
            constant = all(isinstance(each, ast.Constant) for each in plain)
            starred = any(isinstance(each, ast.Starred) for each in node.args)
            if not (known or constant or starred or name.startswith("assert")):
                yield node


def _used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _named(first: Sequence[ast.stmt], call: ast.Call, used: set[str]) -> CalledProgram:
    """Bind what a call is made of to names: an instance, and arguments that are no names."""
    more: list[ast.stmt] = []

    def name(value: ast.expr, word: str) -> ast.expr:
        free = (word, *(f"{word}_{number}" for number in range(1, 99)))
        chosen = next(each for each in free if each not in used)
        used.add(chosen)
        more.append(ast.Assign([ast.Name(chosen, ast.Store())], value, lineno=0))
        return ast.Name(chosen, ast.Load())

    if isinstance(call.func, ast.Call):
        call.func = name(call.func, "model")
    elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        call.func.value = name(call.func.value, "model")
    call.args = [_simple(each) or name(each, "given") for each in call.args]
    for each in call.keywords:
        each.value = _simple(each.value) or name(each.value, "given")
    return CalledProgram((*first, *more), call)


def _simple(node: ast.expr) -> ast.expr | None:
    return node if isinstance(node, ast.Name | ast.Constant | ast.UnaryOp) else None


# ------------------------------------------------------------------ promises


def call_promises(
    program: CalledProgram, seen: Mapping[str, Described], definitions: Definitions
) -> Iterator[Promise]:
    """Yield what may be promised of a call, by what its variables are on base."""
    result = seen.get(RESULT)
    arrays = {v: seen[v] for _, v in program.arguments if _is_array(seen.get(v))}
    if result is None or not arrays:
        return
    model = seen.get(program.instance, {}).get("access") == "state"
    mode = f"{program.instance}.eval()" if model else ""
    found: list[Promise] = [*_twin(program, definitions)]
    found += [*_rows(program, arrays, result), *_masked(program, arrays, seen, result)]
    found += [*_padded(program, arrays, result), *_continued(program, arrays, result, definitions)]
    found += [*_reload(program)] if model else []
    found.append(Promise("repetition", f"near(again, {RESULT})", f"again = {program.again({})}"))
    found += _mutation(arrays)
    found += [*_permutation(program, arrays, result), *_reduction(program, definitions)]
    found += _gradient(program, arrays, result, model=model)
    for each in found:
        before = "\n".join(filter(None, (mode, each.before)))
        yield Promise(each.name, each.condition, each.after, before, each.about)


def _is_array(described: Described | None) -> bool:
    return described is not None and described["kind"] == "array"


def _is_tensor(described: Described) -> bool:
    return described["type"] in _TENSORS


def _alike(result: Described, first: Sequence[int], condition: str) -> str:
    """Return a condition on each part of a result with these first sizes; empty where none has.

    In ``condition``, ``{}`` is the access to a part.
    """
    parts: Mapping[str, Described] = {"": result}
    if result["kind"] == "parts" and result["access"] in ("index", "key"):
        parts = {f"[{key}]": each for key, each in result["parts"].items()}
    known = [k for k, e in parts.items() if _begins(e, first)]
    return " and ".join(condition.replace("{}", key) for key in known[:MOST_PARTS])


def _begins(described: Described, first: Sequence[int]) -> bool:
    return _is_array(described) and described["shape"][: len(first)] == list(first)


def _with_rows(arrays: Mapping[str, Described]) -> tuple[int, dict[str, Described]]:
    """Return the number of rows of the first array, and the arrays that have as many."""
    rows = next((each["shape"][0] for each in arrays.values() if each["shape"]), 0)
    return rows, {n: each for n, each in arrays.items() if each["shape"][:1] == [rows]}


def _rows(
    program: CalledProgram, arrays: Mapping[str, Described], result: Described
) -> Iterator[Promise]:
    """A row alone gives its row of the batch's result."""
    rows, cut = _with_rows(arrays)
    if rows > 1:
        alone = program.again({name: f"{name}[:1]" for name in cut})
        condition = _alike(result, [rows], f"near(alone{{}}, {RESULT}{{}}[:1])")
        if condition:
            yield Promise("batch independence", condition, f"alone = {alone}")
    elif rows == 1 and all(len(each["shape"]) > 1 for each in cut.values()):
        joined = program.again({name: _two_rows(name, each) for name, each in cut.items()})
        condition = _alike(result, [1], f"near(both{{}}[:1], {RESULT}{{}})")
        if condition:
            yield Promise("batch independence", condition, f"both = {joined}")


def _two_rows(name: str, array: Described) -> str:
    if _is_tensor(array):
        return f"torch.cat(({name}, {name}.roll(1, -1)))"
    return f"numpy.concatenate(({name}, numpy.roll({name}, 1, -1)))"


def _rolled(name: str, array: Described) -> str:
    return f"{name}.roll(1, 0)" if _is_tensor(array) else f"numpy.roll({name}, 1, 0)"


def _permutation(
    program: CalledProgram, arrays: Mapping[str, Described], result: Described
) -> Iterator[Promise]:
    """Rows in another order give the same rows in that order, or the same number."""
    rows, moved = _with_rows(arrays)
    if rows < 2 or not _is_array(result):
        return
    other = program.again({name: _rolled(name, each) for name, each in moved.items()})
    if not result["shape"]:
        yield Promise("row order", f"near(rolled, {RESULT})", f"rolled = {other}")
    elif result["shape"][0] == rows:
        condition = f"near(rolled, {_rolled(RESULT, result)})"
        yield Promise("row order", condition, f"rolled = {other}")


def _masked(
    program: CalledProgram,
    arrays: Mapping[str, Described],
    seen: Mapping[str, Described],
    result: Described,
) -> Iterator[Promise]:
    """Elements at masked places have no effect; a mask that hides nothing hides the last place."""
    for parameter, mask in program.arguments:
        described = seen.get(mask, {})
        if mask not in arrays or not _MASK.search(f"{parameter} {mask}"):
            continue
        shape = described["shape"]
        if "bool" not in described["dtype"] or not shape or shape[-1] < 2:
            continue
        size, total = _size(shape), described["sum"]
        before = ""
        ways = [f"~{mask}", mask]
        if total in (0, size):
            copied = "clone" if _is_tensor(described) else "copy"
            before = f"{mask} = {mask}.{copied}()\n{mask}[..., -1:] = {total == 0}"
            ways = ways[1:] if total == 0 else ways[:1]
        for hidden in ways:
            for name, array in arrays.items():
                if name != mask and array["shape"][: len(shape)] == shape:
                    yield _disturbed(program, name, array, hidden, before, result)


def _disturbed(
    program: CalledProgram,
    name: str,
    array: Described,
    hidden: str,
    before: str,
    result: Described,
) -> Promise:
    copied = "clone" if _is_tensor(array) else "copy"
    changed = f"{name}.roll(1, -1)" if _is_tensor(array) else f"numpy.roll({name}, 1, -1)"
    changed = f"{name} * -3 + 2" if "float" in array["dtype"] else changed
    after = f"other = {name}.{copied}()\nother[{hidden}] = ({changed})[{hidden}]\n"
    after += f"again = {program.again({name: 'other'})}"
    kept = hidden.removeprefix("~") if hidden.startswith("~") else f"~{hidden}"
    shape = array["shape"][:1]
    inside = _alike(result, shape, f"near(again{{}}[{kept}], {RESULT}{{}}[{kept}])")
    condition = inside or f"near(again, {RESULT})"
    return Promise("masked places", condition, after, before, f"{name} {hidden}")


def _padded(
    program: CalledProgram, arrays: Mapping[str, Described], result: Described
) -> Iterator[Promise]:
    """Masked places that are added at the end have no effect."""
    for parameter, mask in program.arguments:
        described = arrays.get(mask)
        if described is None or not _MASK.search(f"{parameter} {mask}"):
            continue
        shape = described["shape"]
        along = {name: each for name, each in arrays.items() if _begins(each, shape)}
        is_mask = "bool" in described["dtype"] and _is_tensor(described) and _size(shape) > 0
        if not is_mask or not shape or len(along) == 1:
            continue
        before = ":, " * (len(shape) - 1)
        for hidden in (False, True):
            other = {
                name: _longer(name, each, f"{before}-1:", str(hidden) if name == mask else "")
                for name, each in along.items()
            }
            shown = f"near(again{{}}[{before}:-1], {RESULT}{{}})"
            condition = _alike(result, shape, shown) or f"near(again, {RESULT})"
            after = f"again = {program.again(other)}"
            yield Promise("padding", condition, after, about=f"{mask} {hidden}")


def _longer(name: str, array: Described, last: str, filled: str) -> str:
    """Return an array with one more place at the end, of other numbers or ``filled``."""
    more = f"{name}[{last}]"
    if filled:
        more = f"torch.full_like({more}, {filled})"
    elif "float" in array["dtype"]:
        more = f"{more} * -3 + 2"
    return f"torch.cat(({name}, {more}), {last.count(',')})"


def _callee(program: CalledProgram, definitions: Definitions) -> Function | None:
    """Return the project's function, or the method, that is called."""
    made, name = program.made(), program.function.rpartition(".")[2]
    if made is None:
        return definitions.functions.get(name)
    node = definitions.classes.get(ast.unparse(made.func).rpartition(".")[2])
    names = ("forward", "__call__") if program.function == program.instance else (name,)
    found = (None if node is None else definitions.method(node, each) for each in names)
    return next((each for each in found if each is not None), None)


def _continued(
    program: CalledProgram,
    arrays: Mapping[str, Described],
    result: Described,
    definitions: Definitions,
) -> Iterator[Promise]:
    """A cache changes no result: with and without, or a sequence at once and in two parts."""
    callee = _callee(program, definitions)
    given = {name for name, _ in program.arguments} | {each.arg for each in program.call.keywords}
    free = [] if callee is None else definitions.parameters(callee)
    optional = {
        each.name: each.default.value
        for each in free
        if each.name not in given
        and isinstance(each.default, ast.Constant)
        and _KEPT.search(each.name)
    }
    flags = [name for name, value in optional.items() if isinstance(value, bool)]
    for name in flags:
        if "cache" in name and not _HANDS_OUT.match(name) and _is_array(result):
            other = program.again({}, **{name: repr(not optional[name])})
            after = f"torch.manual_seed(0)\nagain = {other}"
            yield Promise(
                "cached decoding", f"near(again, {RESULT})", after, "torch.manual_seed(0)", name
            )
    taken = [name for name, value in optional.items() if value is None]
    sizes = next((e["shape"][:2] for e in arrays.values() if len(e["shape"]) > 1), [0, 0])
    parts = {name: each for name, each in arrays.items() if _begins(each, sizes)}
    if not taken or sizes[1] < LEAST_PLACES or not all(map(_is_tensor, parts.values())):
        return
    flag = {name: "True" for name in flags[:1] if optional[name] is False}
    place = "[0]{}" if flag and _is_array(result) else "{}"
    condition = _alike(result, sizes, f"near(last{place}[:, -1:], {RESULT}{{}}[:, -1:])")
    first = program.again({name: f"{name}[:, :-1]" for name in parts}, **flag)
    for way in ("rest", "whole"):
        rest = {name: f"{name}[:, -1:]" for name in parts} if way == "rest" else {}
        last = program.again(rest, **{**flag, taken[0]: "first[-1]"})
        if condition:
            after = f"first = {first}\nlast = {last}"
            yield Promise("cached decoding", condition, after, about=f"{taken[0]} {way}")


def _size(shape: Sequence[int]) -> int:
    found = 1
    for each in shape:
        found *= each
    return found


def _mutation(arrays: Mapping[str, Described]) -> Iterator[Promise]:
    """The call leaves its arrays as they are."""
    for name, array in arrays.items():
        kept = f"{name}_before"
        copied = f"{name}.detach().clone()" if _is_tensor(array) else f"{name}.copy()"
        condition = f"near({name}, {kept})"
        yield Promise("unchanged arguments", condition, "", f"{kept} = {copied}", name)


def _reload(program: CalledProgram) -> Iterator[Promise]:
    """Another instance that loads the ``state_dict`` gives the same result."""
    made = program.made()
    if made is not None:
        again = program.again({}, re.sub(r"^\w+", "other", program.function))
        lines = [
            "torch.manual_seed(1)",
            f"other = {ast.unparse(made)}",
            f"other.load_state_dict({program.instance}.state_dict())",
            "other.eval()",
            f"again = {again}",
        ]
        yield Promise("state_dict", f"near(again, {RESULT})", "\n".join(lines))


def _reduction(program: CalledProgram, definitions: Definitions) -> Iterator[Promise]:
    """``mean`` and ``sum`` are those of ``none``."""
    made = program.made()
    name = program.function.rpartition(".")[2]
    callee: Function | ast.ClassDef | None = definitions.functions.get(name)
    if made is not None:
        callee = definitions.classes.get(ast.unparse(made.func).rpartition(".")[2])
    if callee is None or "reduction" not in {e.name for e in definitions.parameters(callee)}:
        return

    def reduced(how: str) -> str:
        if made is None:
            return program.again({}, reduction=repr(how))
        call = copy.deepcopy(made)
        call.keywords = [each for each in call.keywords if each.arg != "reduction"]
        call.keywords.append(ast.keyword("reduction", ast.Constant(how)))
        return program.again({}, re.sub(r"^\w+", lambda _: ast.unparse(call), program.function))

    after = "\n".join(f"{name} = {reduced(how)}" for name, how in _REDUCTIONS.items())
    condition = "near(mean, elements.mean()) and near(total, elements.sum())"
    yield Promise("reduction", condition, after)


_REDUCTIONS = {"elements": "none", "mean": "mean", "total": "sum"}


def _twin(program: CalledProgram, definitions: Definitions) -> Iterator[Promise]:
    """An object gives what the function of its name gives: ``BgrToRgba``, ``bgr_to_rgba``."""
    made = program.made()
    if made is None or program.function != program.instance:
        return
    path, _, name = ast.unparse(made.func).rpartition(".")
    twin = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if name not in definitions.classes or twin not in definitions.functions or name == twin:
        return
    imported = next((e for e in program.first if _imports(e, name)), None)
    if not path and not isinstance(imported, ast.ImportFrom):
        return
    call = copy.deepcopy(program.call)
    call.func = _parsed(f"{path}.{twin}" if path else twin)
    call.args += made.args
    call.keywords += made.keywords
    after = "" if path else f"from {getattr(imported, 'module', '')} import {twin}\n"
    after += f"plain = {ast.unparse(call)}"
    yield Promise("function", f"near(plain, {RESULT})", after, about=f"{name} {twin}")


def _imports(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.ImportFrom) or statement.level:
        return False
    return any(name == (e.asname or e.name) for e in statement.names)


def _gradient(
    program: CalledProgram, arrays: Mapping[str, Described], result: Described, *, model: bool
) -> Iterator[Promise]:
    """The gradient is that of central differences, in float64 and in one direction."""
    floats = [n for n, e in arrays.items() if _is_tensor(e) and _FLOATS.match(e["dtype"])]
    if not floats or not _is_array(result) or not _FLOATS.match(result["dtype"]):
        return
    lines = [f"point = {floats[0]}.detach().double().requires_grad_()"]
    function = program.function
    if model:
        lines += [f"precise = copy.deepcopy({program.instance}).double()"]
        function = re.sub(r"^\w+", "precise", function)
    rest = {name: f"{name}.double()" for name in floats[1:]}
    lines += [
        f"def number(point):\n    return {program.again({floats[0]: 'point', **rest}, function)}"
    ]
    lines += [
        f"weights = torch.randn_like({RESULT}.detach().double())",
        "step = 0.0001 * torch.randn_like(point)",
        "slope, = torch.autograd.grad((number(point) * weights).sum(), point)",
        "moved = ((number(point + step) - number(point - step)) * weights).sum().detach() / 2",
    ]
    off = "abs(float((slope * step).sum() - moved))"
    condition = f"{off} <= 0.1 * abs(float(moved)) + 1e-09"
    yield Promise("gradient", condition, "\n".join(lines))


# ------------------------------------------------------------------ of a whole program


def program_promises(
    source: str, seen: Mapping[str, Described], definitions: Definitions, names: frozenset[str]
) -> Iterator[tuple[str, Promise]]:
    """Yield what may be promised of a whole program, with the program that shows it.

    ``names`` are those of what changed.
    """
    yield from _assertions(source)
    yield from _settable(source, definitions, names)
    yield from _precision(source, seen)


def _assertions(source: str) -> Iterator[tuple[str, Promise]]:
    """The project's own assertions hold."""
    body = ast.parse(source).body
    for place, each in enumerate(body):
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]).startswith(ASSERTED):
            first = ast.unparse(ast.Module(body[:place], []))
            condition = asserted(each.value)
            yield first, Promise("assertion", condition, about=condition)


ASSERTED = "asserted_"
"""The beginning of the names of variables that hold what a program asserts."""


def asserted(value: ast.expr) -> str:
    """Return the condition that an assertion states: a test, or a call that raises."""
    return f"{ast.unparse(value)} is None" if is_asserting(value) else ast.unparse(value)


def is_asserting(value: ast.expr) -> bool:
    """Return whether an expression is a call that raises where something does not hold."""
    called = value.func if isinstance(value, ast.Call) else None
    name = str(getattr(called, "attr", None) or getattr(called, "id", ""))
    return name.lstrip("_").startswith("assert")


def _settable(
    source: str, definitions: Definitions, names: frozenset[str]
) -> Iterator[tuple[str, Promise]]:
    """A property that is set to its own value keeps it."""
    for each in ast.parse(source).body:
        made = each.value if isinstance(each, ast.Assign) else None
        if not isinstance(made, ast.Call) or not isinstance(each, ast.Assign):
            continue
        node = definitions.classes.get(ast.unparse(made.func).rpartition(".")[2])
        own = definitions.bases(node) if node is not None else []
        methods = [m for base in own for m in base.body if isinstance(m, Function)]
        setters = {
            m.name for m in methods if f"{m.name}.setter" in map(ast.unparse, m.decorator_list)
        }
        for name in sorted(setters & names):
            place = f"{ast.unparse(each.targets[0])}.{name}"
            after = f"import copy\nkept = copy.deepcopy({place})\n{place} = kept"
            condition = f"near({place}, kept)"
            yield f"{source}\n{after}", Promise("settable property", condition, about=name)


def _precision(source: str, seen: Mapping[str, Described]) -> Iterator[tuple[str, Promise]]:
    """The program gives in float64 what it gives in float32, with models in evaluation mode."""
    floats = [n for n, e in seen.items() if _is_array(e) and e["dtype"] == "torch.float32"]
    models = {name for name, each in seen.items() if each.get("access") == "state"}
    body = ast.parse(source).body
    defining = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
    start = max((n + 1 for n, e in enumerate(body) if isinstance(e, defining)), default=0)
    bound = {name for each in body[start:] for name in _bound(each)}
    last = [name for name in floats if name in bound]
    if not last or _HALF.search(source):
        return
    rest = [_Cast(models).visit(copy.deepcopy(each)) for each in body[start:]]
    inner = ["torch.manual_seed(0)", *map(ast.unparse, rest), f"return {last[-1]}"]
    lines = ["import torch", *map(ast.unparse, body[:start]), "def outcome(dtype):"]
    lines += [f"    {line}" for text in inner for line in text.splitlines()]
    condition = "near(outcome(torch.float64), outcome(torch.float32))"
    yield "\n".join(lines), Promise("precision", condition)


class _Cast(ast.NodeTransformer):
    """Gives the tensors and models that a program makes a dtype."""

    def __init__(self, models: set[str]) -> None:
        self._models = models

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        if _DRAWN_LIKE.match(name) and len(node.args) == 1:
            drawn = f"{name.removesuffix('_like')}({ast.unparse(node.args[0])}.shape)"
            return _parsed(f"{drawn}.to(dtype)")
        return _cast(node) if _DRAWN.match(name) else node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        if ast.unparse(node.targets[0]) in self._models and isinstance(node.value, ast.Call):
            settled = ast.Attribute(_cast(node.value), "eval", ast.Load())
            node.value = ast.Call(settled, [], [])
        return node


def _cast(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(value, "to", ast.Load()), [ast.Name("dtype", ast.Load())], [])
