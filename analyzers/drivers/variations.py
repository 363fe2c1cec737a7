"""Variations of a program, at the level of its source.

An edit is data on the nodes of the original tree, which are numbered in the order of
``ast.walk``; a variation is one edit or several, and is Python that a person can read.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzers.drivers.definitions import Definitions, Function, Parameter
from analyzers.drivers.documented_values import DocumentedValues
from analyzers.drivers.promises import ASSERTED, is_asserting
from analyzers.drivers.repeated_calls import INSTANCE
from analyzers.drivers.usage_programs import Driver

HOLE = "it"
HOLE_WORD = re.compile(r"\bit\b")
LARGEST = 300
MOST_VALUES = 16
_FACTORIES = frozenset(
    {"randn", "rand", "ones", "zeros", "tensor", "linspace", "arange", "randint", "full", "empty"}
    | {"array", "eye"}
)
_SIZED = frozenset({"randn", "rand", "ones", "zeros"})
_MASKS = (
    "torch.ones(it.shape[:2]).bool()",
    "torch.rand(it.shape[:2]) > 0.5",
    "torch.zeros(it.shape[:2]).bool()",
    "torch.rand(it.shape) > 0.5",
    "torch.rand(it.shape[1], it.shape[1]) > 0.5",
    "torch.rand(it.shape[0], *it.shape[-2:]) > 0.5",
)
_GIVEN_MASKS = (
    "it & (torch.arange(it.shape[-1]) * 2 < it.shape[-1])",
    "torch.rand(it.shape) > 0.5",
)
_TENSORS = (
    "torch.randn_like(it)",
    "torch.randn(it.shape[-1])",
    "torch.randn(it.shape[:-1])",
    "torch.rand(it.shape[0])",
    "torch.arange(it.shape[-2])",
)
_FORMS = (
    "it.double()",
    "it.half()",
    "it[:1]",
    "it.requires_grad_()",
    "it[None]",
    "it.repeat_interleave(2, 0)",
    "it * 0",
    "it[:0]",
    "it.bfloat16()",
    "it.long()",
    "it * 100",
    "it.transpose(-1, -2).contiguous().transpose(-1, -2)",
    "it[..., :-1]",
    "it[:, :-1]",
    "it[0]",
    "it.bool()",
)
_ARRAY_FORMS = (
    "it.astype('float32')",
    "it[:1]",
    "it.repeat(2, 0)",
    "it * 0",
    "it[:0]",
    "it.astype(int)",
    "it * 100",
    "it.T.copy().T",
    "it[..., :-1]",
    "it.astype(bool)",
)
"""No other number of dimensions: NumPy broadcasts what no caller gives."""
_MODULE_FORMS = ("it.requires_grad_(False)", "it.double()", "it.eval()")
_NORMS = {
    "Linear": "torch.nn.BatchNorm1d(it.out_features)",
    "Conv1d": "torch.nn.BatchNorm1d(it.out_channels)",
    "Conv2d": "torch.nn.BatchNorm2d(it.out_channels)",
    "Conv3d": "torch.nn.BatchNorm3d(it.out_channels)",
}
"""Layers with buffers behind layers of the library, which have none."""
_PRECISIONS = {"float16": "it.half()", "bfloat16": "it.bfloat16()", "float64": "it.double()"}
_OTHER_KINDS = frozenset(
    {"it.long()", "it.bool()", "it[None]", "it[0]", "it[:0]", "it.astype(int)", "it.astype(bool)"}
)
_SEEDS = {
    "torch": "import torch\ntorch.manual_seed({})",
    "numpy": "import numpy\nnumpy.random.seed({})",
}
_SHARED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
"""Nodes of which the parser has one for all trees."""
_STEPS = ("eval", "train", "backward", "step", "zero_grad", "manual_seed", "seed", "to", "cpu")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a program: its kind, the nodes that it is about, and the new text.

    ``guessed``: nothing in the project says that such a value is taken; ``documented``: its
    documents, hints or guards do.
    """

    kind: str
    nodes: tuple[int, ...]
    text: str
    name: str = ""
    weight: float = 1.0
    guessed: bool = False
    documented: bool = False

    @property
    def says(self) -> str:
        """The difference, in words."""
        match self.kind:
            case "literal":
                found = f"`{self.name}` is `{self.text}`"
            case "keyword":
                found = f"`{self.name}={self.text}`"
            case "without" | "drop":
                found = f"without `{self.name}`"
            case "form" | "round":
                found = f"`{re.sub(HOLE_WORD, self.name or 'x', self.text)}`"
            case "cast":
                found = f"all in {self.name}"
            case "kept":
                found = f"{self.name} kept as `{self.text}`"
            case _:
                found = f"with `{self.text}`"
        return found


class _Apply(ast.NodeTransformer):
    def __init__(self, edits: Sequence[Edit]) -> None:
        self._by_node: dict[int, list[Edit]] = {}
        for edit in edits:
            for node in edit.nodes:
                self._by_node.setdefault(node, []).append(edit)

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        edits = self._by_node.get(getattr(node, "number", -1), ())
        kinds = {each.kind: each for each in edits}
        if "drop" in kinds:
            return ast.Pass()
        if "literal" in kinds:
            return ast.parse(kinds["literal"].text, mode="eval").body
        found = self.generic_visit(node)
        if isinstance(found, ast.Call):
            self._keywords(found, edits)
        for kind in ("form", "cast"):
            if kind in kinds and isinstance(found, ast.expr):
                found = _filled(kinds[kind].text, found)
        if "round" in kinds and isinstance(found, ast.For):
            chosen = _filled(kinds["round"].text, found.iter)
            return [ast.Assign([found.target], chosen), *found.body]
        if "kept" in kinds and isinstance(found, ast.expr):
            found = ast.NamedExpr(ast.Name(kinds["kept"].text, ast.Store()), found)
        after = [s for each in edits if each.kind == "after" for s in ast.parse(each.text).body]
        return [found, *after] if after else found

    @staticmethod
    def _keywords(call: ast.Call, edits: Sequence[Edit]) -> None:
        first = next(
            (a for a in [*call.args, *(k.value for k in call.keywords)] if _is_value(a)), None
        )
        names = {each.name for each in edits if each.kind in ("keyword", "without")}
        call.keywords = [each for each in call.keywords if each.arg not in names]
        for each in edits:
            if each.kind == "keyword":
                value = ast.parse(each.text, mode="eval").body
                holes = HOLE in {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
                value = _filled(each.text, first) if holes and first is not None else value
                call.keywords.append(ast.keyword(each.name, value))


def _is_value(node: ast.expr) -> bool:
    return not isinstance(node, ast.Starred | ast.Constant)


def _filled(text: str, value: ast.expr) -> ast.expr:
    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return copy.deepcopy(value) if node.id == HOLE else node

    filled: ast.expr = _Folded().visit(Fill().visit(ast.parse(text, mode="eval").body))
    return filled


class _Folded(ast.NodeTransformer):
    """Writes out the shape of a tensor that is made with literal sizes."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        call = node.value
        if node.attr != "shape" or not isinstance(call, ast.Call) or not _is_sized(call):
            return node
        return ast.Tuple([copy.deepcopy(each) for each in call.args], ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Tuple):
            return node
        try:
            sizes: tuple[int, ...] = ast.literal_eval(node.value)
            if isinstance(node.slice, ast.Slice):
                ends = (node.slice.lower, node.slice.upper)
                first, last = (ast.literal_eval(each) if each else None for each in ends)
                return ast.parse(repr(sizes[first:last]), mode="eval").body
            return ast.Constant(sizes[ast.literal_eval(node.slice)])
        except (IndexError, TypeError, ValueError):
            return node


def _is_sized(call: ast.Call) -> bool:
    made = isinstance(call.func, ast.Attribute) and call.func.attr in _SIZED
    return made and all(isinstance(e, ast.Constant) and type(e.value) is int for e in call.args)


class _Observe(ast.NodeTransformer):
    """Binds what a program computes and drops: values of expressions, what it asserts or prints."""

    def __init__(self) -> None:
        self.count = 0

    def _bound(self, value: ast.expr, name: str = "outcome_") -> ast.stmt:
        self.count += 1
        return ast.Assign([ast.Name(f"{name}{self.count}", ast.Store())], value)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return self._bound(node.test, ASSERTED)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        value = node.value
        if isinstance(value, ast.Call):
            called = value.func
            if isinstance(called, ast.Name) and called.id == "print":
                plain = [each for each in value.args if not isinstance(each, ast.Starred)]
                return self._bound(plain[0] if len(plain) == 1 else ast.Tuple(plain, ast.Load()))
            done = isinstance(called, ast.Attribute) and called.attr.rstrip("_") in _STEPS
            name = ASSERTED if is_asserting(value) else "outcome_"
            return node if done else self._bound(value, name)
        is_silent = isinstance(value, ast.Constant | ast.Yield | ast.YieldFrom | ast.Await)
        return node if is_silent else self._bound(value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]


def numbered(source: str) -> ast.Module:
    """Return the tree of a program with a ``number`` at each node."""
    tree = ast.parse(source)
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, _SHARED):
            continue
        node.number = number  # type: ignore[attr-defined]
    return tree


def varied(tree: ast.Module, edits: Sequence[Edit]) -> str:
    """Return the text of a numbered program after edits, with all that it computes bound.

    The text of a statement without edits is kept on the tree: most have none.
    """
    texts: dict[tuple[int, int], tuple[str, int]] = tree.__dict__.setdefault("texts", {})
    edited = {number for each in edits for number in each.nodes}
    observe = _Observe()
    before = (s for each in edits if each.kind == "before" for s in ast.parse(each.text).body)
    found = [_text(observe.visit(each)) for each in before]
    for place, (statement, numbers) in enumerate(zip(tree.body, _numbers(tree), strict=True)):
        key = place, observe.count
        if numbers.isdisjoint(edited):
            if key not in texts:
                text = _text(observe.visit(copy.deepcopy(statement)))
                texts[key] = text, observe.count
            text, observe.count = texts[key]
            found.append(text)
            continue
        changed = _Apply(edits).visit(copy.deepcopy(statement))
        whole = changed if isinstance(changed, list) else [changed]
        found += [_text(observe.visit(each)) for each in whole]
    return "\n".join(filter(None, found)).removeprefix("\n")


def _numbers(tree: ast.Module) -> list[frozenset[int]]:
    """Return the numbers of the nodes of each statement of a numbered program."""
    known: list[frozenset[int]] | None = tree.__dict__.get("numbers")
    if known is None:
        known = [
            frozenset(getattr(node, "number", -1) for node in ast.walk(statement))
            for statement in tree.body
        ]
        tree.__dict__["numbers"] = known
    return known


def _text(statement: ast.stmt) -> str:
    """Return the text of a statement as it stands in a program; nothing of ``pass``."""
    if isinstance(statement, ast.Pass):
        return ""
    defines = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    text = ast.unparse(ast.fix_missing_locations(ast.Module([statement], []))).strip("\n")
    return f"\n{text}" if defines else text


@dataclass(slots=True)
class Variations:
    """The edits of one driver, the most telling first.

    ``hot`` weighs identifiers by how near they are to what changed; ``target`` are the names
    of the changed function and of its class; ``documented`` knows the values that are.
    """

    driver: Driver
    definitions: Definitions
    hot: Mapping[str, float]
    target: frozenset[str]
    documented: DocumentedValues | None = None
    tree: ast.Module = field(init=False)

    def __post_init__(self) -> None:
        self.tree = numbered(self.driver.source)

    def edits(self) -> list[Edit]:
        """Return the single edits; kinds take turns, in the order of their weights."""
        groups: dict[str, list[Edit]] = {}
        for edit in dict.fromkeys(self._all()):
            groups.setdefault(edit.kind, []).append(edit)
        ordered = [sorted(each, key=lambda e: -e.weight) for each in groups.values()]
        ordered.sort(key=lambda each: -each[0].weight)
        iterators = {each[0].kind: iter(each) for each in ordered}
        turns = [*iterators, *(["keyword"] if "keyword" in iterators else [])]
        mixed: list[Edit] = []
        while taken := [e for e in (next(iterators[k], None) for k in turns) if e is not None]:
            mixed += taken
        return mixed

    def _all(self) -> Iterator[Edit]:
        body = self.tree.body[self.driver.fixed :]
        nodes = [node for statement in body for node in ast.walk(statement)]
        made, layers = self._instances(body), _layers(body)
        bound = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        places = self._places(nodes, made) if self.documented is not None else {}
        for edit in _literal_edits(nodes):
            given = [places.get(each) for each in edit.nodes]
            said = all(each is not None and self._is_said(*each, edit.text) for each in given)
            yield replace(edit, documented=said)
        yield from self._casts(nodes)
        for node in nodes:
            if isinstance(node, ast.Call):
                callee = self._callee(node, made)
                if callee is not None:
                    yield from self._keyword_edits(node, callee, bound)
                    yield from self._masks(node, callee)
                    yield from _kept(node, self._weight(callee))
                if callee is not None or _is_factory(node):
                    known = callee is not None
                    yield from _forms(node, {**made, **layers}, self._of_arrays(node), known=known)
        yield from self._statements(body, made, bound)

    def _of_arrays(self, call: ast.Call) -> Sequence[str]:
        """Return the forms that what a call makes or takes may have: of arrays or of tensors."""
        of_numpy = ast.unparse(call.func).partition(".")[0] in ("np", "numpy")
        return _ARRAY_FORMS if of_numpy or not self._knows("torch") else _FORMS

    def _knows(self, library: str) -> bool:
        """Return whether the project, or the program by itself, uses a library."""
        libraries = self.definitions.libraries
        return library in libraries or re.search(rf"\b{library}\b", self.driver.source) is not None

    def _is_said(self, callee: Function | ast.ClassDef, parameter: Parameter, text: str) -> bool:
        """Return whether the project says of a callee that its own parameter takes a value."""
        own: ast.AST | None = callee
        if isinstance(callee, ast.ClassDef):
            own = self.definitions.method(callee, "__init__")
        known = self.documented
        return known is not None and parameter.function is own and known.has(parameter, text)

    def _places(
        self, nodes: Sequence[ast.AST], made: Mapping[str, ast.ClassDef]
    ) -> dict[int, tuple[Function | ast.ClassDef, Parameter]]:
        """Return the callees and parameters that literals are given to, by their numbers."""
        found: dict[int, tuple[Function | ast.ClassDef, Parameter]] = {}
        for node in nodes:
            callee = self._callee(node, made) if isinstance(node, ast.Call) else None
            if callee is None or not isinstance(node, ast.Call):
                continue
            parameters = self.definitions.parameters(callee)
            named = {each.name: each for each in parameters}
            given = [*zip(parameters, node.args, strict=False)]
            given += [(named[k.arg], k.value) for k in node.keywords if k.arg in named]
            literals = [(each, v) for each, v in given if isinstance(v, ast.Constant)]
            found |= {_number(value): (callee, each) for each, value in literals}
        return found

    def _casts(self, nodes: Sequence[ast.AST]) -> Iterator[Edit]:
        """Yield another precision of all models and tensors that a program makes, together."""
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        models = [_number(each) for each in calls if self._is_model(each)]
        drawn = [_number(each) for each in calls if _is_drawn(each)]
        for name, text in _PRECISIONS.items() if drawn else ():
            yield Edit("cast", (*models, *drawn), text, name, 1.1, guessed=name != "float64")

    def _is_model(self, call: ast.Call) -> bool:
        path, _, name = ast.unparse(call.func).rpartition(".")
        node = self.definitions.classes.get(name)
        if node is None:
            return path in ("nn", "torch.nn") and name[:1].isupper()
        bases = (each for base in self.definitions.bases(node) for each in base.bases)
        return any("Module" in ast.unparse(each) for each in bases)

    def _instances(self, body: Sequence[ast.stmt]) -> dict[str, ast.ClassDef]:
        """Return the variables that hold instances of the project's classes."""
        found: dict[str, ast.ClassDef] = {}
        for node in (n for statement in body for n in ast.walk(statement)):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            called = node.value.func
            while isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call):
                called = called.value.func
            name = getattr(called, "id", None) or getattr(called, "attr", "")
            if name in self.definitions.classes:
                for target in node.targets:
                    found[ast.unparse(target)] = self.definitions.classes[name]
        return found

    def _callee(
        self, call: ast.Call, made: Mapping[str, ast.ClassDef]
    ) -> Function | ast.ClassDef | None:
        known = self.definitions
        text = ast.unparse(call.func)
        if text in made:
            return self._called(made[text])
        match call.func:
            case ast.Call(func=ast.Name(id=name)):
                return self._called(known.classes[name]) if name in known.classes else None
            case ast.Name():
                return known.classes.get(text) or known.functions.get(text)
            case ast.Attribute(value=value, attr=name):
                return self._method(name, ast.unparse(value), made)
            case _:
                return None

    def _method(
        self, name: str, owner: str, made: Mapping[str, ast.ClassDef]
    ) -> Function | ast.ClassDef | None:
        known = self.definitions
        if name in known.classes:
            return known.classes[name]
        if owner in made or owner in known.classes:
            return known.method(made.get(owner) or known.classes[owner], name)
        if name in known.functions and owner.partition(".")[0] not in ("torch", "np", "F", "nn"):
            return known.functions[name]
        same = known.methods.get(name, [])
        return same[0] if len(same) == 1 else None

    def _called(self, node: ast.ClassDef) -> Function | None:
        known = self.definitions
        return known.method(node, "forward") or known.method(node, "__call__")

    def _weight(self, callee: Function | ast.ClassDef) -> float:
        owner = self.definitions.owners.get(id(callee))
        names = {callee.name, *([owner.name] if owner is not None else [])}
        return 3.0 if names & self.target else 1.0

    def _keyword_edits(
        self, call: ast.Call, callee: Function | ast.ClassDef, bound: Sequence[str]
    ) -> Iterator[Edit]:
        parameters = self.definitions.parameters(callee)
        placed = {each.name for each in parameters[: len(call.args)]}
        given = {each.arg: each.value for each in call.keywords if each.arg}
        near = self._weight(callee)
        number = _number(call)
        for each in parameters:
            if each.name in placed:
                continue
            hot = near * (1 + 2.5 * self.hot.get(each.name, 0.0))
            if each.name in given:
                if each.default is not None:
                    usual = getattr(each.default, "value", ...)
                    said = usual is None or isinstance(usual, bool | str)
                    yield Edit("without", (number,), "", each.name, 0.4 * hot, documented=said)
                for text in self._texts(each) if _is_text(given[each.name]) else ():
                    said = self._is_said(callee, each, text)
                    yield Edit("keyword", (number,), text, each.name, hot, documented=said)
            handed_on = getattr(given.get(each.name), "id", None) == each.name
            if each.default is None or (each.name in given and not handed_on):
                continue
            values = self._values(each, bound)
            known = {*bound, *self.definitions.corpus.get(each.name, ()), *self._texts(each)}
            known |= set(_MASKS) if "mask" in each.name else set()
            flag = isinstance(getattr(each.default, "value", None), bool)
            for place, text in enumerate(values):
                weight = hot * (1.6 if flag else 1.0) / (1 + 0.12 * place)
                guessed = is_none(each.default) and text not in known
                edit = Edit("keyword", (number,), text, each.name, weight, guessed=guessed)
                yield replace(edit, documented=self._is_said(callee, each, text))

    def _masks(self, call: ast.Call, callee: Function | ast.ClassDef) -> Iterator[Edit]:
        """Yield masks of which a part is false, for those that a call is given."""
        parameters = self.definitions.parameters(callee)
        given = [(each.name, v) for each, v in zip(parameters, call.args, strict=False)]
        given += [(each.arg or "", each.value) for each in call.keywords]
        for name, value in given:
            for text in _GIVEN_MASKS if "mask" in name and isinstance(value, ast.Name) else ():
                weight = self._weight(callee) * (1 + self.hot.get(name, 0.0))
                yield replace(_form(value, text, 0), weight=weight)

    def _values(self, parameter: Parameter, bound: Sequence[str]) -> list[str]:
        """Return values of a parameter that differ from its default, the likely ones first."""
        default = parameter.default
        counted = self.definitions.corpus.get(parameter.name, Counter[str]())
        known = [text for text, _ in counted.most_common(5)]
        try:
            value: object = ast.literal_eval(default) if default is not None else ...
        except (ValueError, TypeError, SyntaxError):
            value = ...
        if isinstance(value, bool):
            found = [repr(not value)]
        elif isinstance(value, int):
            found = [*map(repr, (value + 1, 2, 1, 3, 0, value * 2, 4)), *known]
        elif isinstance(value, float):
            found = [*map(repr, (0.0, 0.5, 1.0, value * 2 or 2.0, value / 10)), *known]
        elif isinstance(value, str):
            found = [*self._texts(parameter), *known]
        elif value is None:
            is_call = getattr(parameter.function, "name", "") != "__init__"
            masks = _MASKS if "mask" in parameter.name else ()
            guesses = (*_TENSORS, *masks) if is_call else ("torch.randn(4)", "(1, 2)", "(2, 2)")
            own = [each for each in dict.fromkeys(bound) if each == parameter.name]
            plain = ["True", "2", "0.5", "1", "4"]
            found = [*own, *masks, *known[:4], *self._texts(parameter), *plain, *guesses]
        else:
            found = known
        usual = ast.unparse(default) if default is not None else ""
        torch = self._knows("torch")
        able = (each for each in dict.fromkeys(found) if torch or "torch." not in each)
        return [each for each in able if each != usual][:MOST_VALUES]

    def _texts(self, parameter: Parameter) -> list[str]:
        """Return the texts that code compares a parameter with, or its descriptions name."""
        name = parameter.name
        around = self.definitions.owners.get(id(parameter.function), parameter.function)
        found: list[str] = []
        for node in ast.walk(around):
            if isinstance(node, ast.Compare) and name in ast.unparse(node.left):
                found += _text_constants(*node.comparators)
            elif isinstance(node, ast.arg) and node.arg == name and node.annotation is not None:
                found += _text_constants(node.annotation)
        counted = self.definitions.corpus.get(name, Counter[str]())
        found += [text for text, _ in counted.most_common(6) if text[:1] in "'\""]
        found += self.documented.choices(parameter) if self.documented is not None else []
        return list(dict.fromkeys(found))

    def _statements(
        self, body: Sequence[ast.stmt], made: Mapping[str, ast.ClassDef], bound: Sequence[str]
    ) -> Iterator[Edit]:
        """Yield statements to add or drop: methods and properties of objects, modes, seeds."""
        plain = [each for each in body if not isinstance(each, _DEFINING)]
        if not plain:
            return
        last = _number(plain[-1])
        outs = [each for each in dict.fromkeys(bound) if each not in made]
        for name, node in made.items():
            for base in self.definitions.bases(node):
                methods = [each for each in base.body if isinstance(each, Function)]
                for each in methods:
                    if not each.name.startswith("__"):
                        yield from self._method_calls(name, each, base, last, outs)
                yield from self._protocols(name, methods, base, last)
        for statement in plain:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                mode = call.func.attr in ("eval", "train")
                text = ast.unparse(call)
                yield Edit("drop", (_number(statement),), "", text, 2.0 if mode else 0.5)
            where = (_number(statement),)
            names = [t for t in getattr(statement, "targets", ()) if ast.unparse(t) in made]
            for target in map(ast.unparse, names):
                yield Edit("after", where, f"{target}.eval()", "", 1.2, documented=True)
                yield Edit("after", where, f"{target}.train()", "", 0.5)
                yield Edit("after", where, f"{target} = {target}.double()", "", 0.5)
                yield Edit(
                    "after", where, f"import copy\n{target} = copy.deepcopy({target})", "", 0.5
                )
        seeded = [text for name, text in _SEEDS.items() if self._knows(name)]
        for number in (1, 2):
            yield from (Edit("before", (), each.format(number), "", 0.6) for each in seeded[:1])

    def _protocols(
        self, name: str, methods: Sequence[Function], owner: ast.ClassDef, last: int
    ) -> Iterator[Edit]:
        """Yield uses of an object by Python's own protocols; keys that it gives are asked of it."""
        named = {each.name for each in methods}
        mapping = {"__getitem__", "keys"} <= named
        texts = {**_PROTOCOLS, **({"__getitem__": _BY_KEY} if mapping else {})}
        for each in [each for each in texts if each in named]:
            own = each in self.target and owner.name in self.target
            weight = 7.2 if own else 1 + self.hot.get(each, 0.0)
            needed = "import pickle\n" if each == "__getstate__" else ""
            text = f"{needed}also = {texts[each].format(name)}"
            yield Edit("after", (last,), text, "", weight)

    def _method_calls(
        self, name: str, method: Function, owner: ast.ClassDef, last: int, outs: Sequence[str]
    ) -> Iterator[Edit]:
        own = method.name in self.target and owner.name in self.target
        weight = (6.0 if own else 1 + self.hot.get(method.name, 0.0)) * 1.2
        decorated = " ".join(map(ast.unparse, method.decorator_list))
        private = method.name.startswith("_")
        if (private and not own) or "setter" in decorated or "abstract" in decorated:
            return
        if "property" in decorated:
            yield Edit("after", (last,), f"also = {name}.{method.name}", "", weight)
            return
        needed = [e.name for e in self.definitions.parameters(method) if e.default is None]
        if not needed:
            calls = _documented_calls(method)
            for given in dict.fromkeys(["", *calls]):
                text = f"also = {name}.{method.name}({given})"
                yield Edit("after", (last,), text, "", weight, documented=bool(calls))
        elif outs and len(needed) <= 3:
            for first in outs[:3]:
                chosen = [each if each in outs else first for each in needed]
                text = f"also = {name}.{method.name}({', '.join(chosen)})"
                guessed = chosen != needed
                yield Edit("after", (last,), text, "", weight, guessed=guessed)


_BY_KEY = "[{0}[key] for key in {0}.keys()]"
_PROTOCOLS = {
    "__len__": "len({})",
    "__iter__": "list({})",
    "__getitem__": "{}[0]",
    "__repr__": "repr({})",
    "__eq__": "{0} == {0}",
    "__getstate__": "pickle.loads(pickle.dumps({}))",
}
_DEFINING = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef


def is_none(node: ast.expr | None) -> bool:
    """Return whether an expression is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def _documented_calls(method: Function) -> list[str]:
    """Return the literal arguments, at most once, with which a docstring calls its method."""
    said = ast.get_docstring(method) or ""
    found = re.findall(rf"\.{method.name}\(([^()]*)\)", said)
    literal = re.compile(r"(?:(?:\w+=)?(?:True|False|None|-?[\d.]+|'\w*'|\"\w*\")(?:, )?)*")
    return [each for each in dict.fromkeys(found) if literal.fullmatch(each)][:1]


def _number(node: ast.AST) -> int:
    return int(node.number)  # type: ignore[attr-defined]


def _layers(body: Sequence[ast.stmt]) -> dict[str, str]:
    """Return the variables that hold layers of the library, by the names of their classes."""
    assigned = (n for statement in body for n in ast.walk(statement) if isinstance(n, ast.Assign))
    named = [(each.targets[0], _layer(each.value)) for each in assigned]
    return {target.id: layer for target, layer in named if isinstance(target, ast.Name) and layer}


def _layer(node: ast.expr) -> str:
    """Return the class of ``torch.nn`` whose instance an expression makes, or nothing."""
    path, _, name = ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")
    made = isinstance(node, ast.Call) and path in ("nn", "torch.nn") and name[:1].isupper()
    return name if made and name != "Parameter" else ""


def _forms(
    call: ast.Call, made: Mapping[str, ast.ClassDef | str], usual: Sequence[str], *, known: bool
) -> Iterator[Edit]:
    """Yield other forms of what a call makes, or of what is handed on to a ``known`` callee.

    Tensors have the ``usual`` forms, in which they are converted or cut; layers of the library
    are frozen, or have buffers behind them.
    """
    if not known:
        yield from (_form(call, text, place) for place, text in enumerate(usual))
        return
    for each in [*call.args, *(keyword.value for keyword in call.keywords)]:
        name = each.id if isinstance(each, ast.Name) else ""
        kept = made.get(name, _layer(each))
        if isinstance(kept, str) and kept:
            norm = _NORMS.get(kept)
            forms = () if norm is None else (f"torch.nn.Sequential(it, {norm})",)
            yield from (_form(each, text, n) for n, text in enumerate((*forms, *_MODULE_FORMS)))
        elif name and name != INSTANCE and isinstance(kept, str):
            yield from (_form(each, text, place) for place, text in enumerate(usual))


def _form(node: ast.expr, text: str, place: int) -> Edit:
    name = node.id if isinstance(node, ast.Name) else ""
    guessed = text in _OTHER_KINDS
    return Edit("form", (_number(node),), text, name, 1.3 / (1 + 0.08 * place), guessed=guessed)


def _kept(call: ast.Call, weight: float) -> Iterator[Edit]:
    """Yield edits that keep an array that is made for a call, so that its change shows."""
    placed = [(f"argument {place}", each) for place, each in enumerate(call.args, 1)]
    named = [(f"`{each.arg}`", each.value) for each in call.keywords]
    for name, value in (*placed, *named):
        if isinstance(value, ast.Call) and _is_factory(value):
            yield Edit("kept", (_number(value),), "given", name, weight)


def _is_factory(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _FACTORIES


def _is_drawn(call: ast.Call) -> bool:
    """Return whether a call makes a tensor of floats of the usual dtype."""
    name = ast.unparse(call.func)
    usual = not any(each.arg == "dtype" for each in call.keywords)
    return usual and name in ("torch.randn", "torch.rand", "torch.ones", "torch.zeros")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _text_constants(*nodes: ast.expr) -> list[str]:
    walked = (each for node in nodes for each in ast.walk(node))
    return [
        repr(e.value) for e in walked if isinstance(e, ast.Constant) and isinstance(e.value, str)
    ]


def _literal_edits(nodes: Sequence[ast.AST]) -> Iterator[Edit]:
    """Yield other numbers: equal ones together, then each alone."""
    groups: dict[tuple[type, object], list[int]] = {}
    seeds = {id(a) for n in nodes if isinstance(n, ast.Call) and _is_seed(n) for a in n.args}
    for node in nodes:
        if id(node) in seeds:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            groups.setdefault((type(node.value), node.value), []).append(_number(node))
    for (kind, value), numbers in groups.items():
        alone = [(each,) for each in numbers] if 1 < len(numbers) <= 8 else []
        for where in [tuple(numbers), *alone]:
            share = 1.0 if len(where) == len(numbers) else 0.7
            for other, weight in _others(kind, value):
                yield Edit("literal", where, repr(other), repr(value), share * weight)


def _is_seed(call: ast.Call) -> bool:
    """Return whether a call sets a seed, which is exchanged as a statement."""
    return ast.unparse(call.func).rpartition(".")[2] in ("manual_seed", "seed")


def _others(kind: type, value: object) -> Iterator[tuple[object, float]]:
    if kind is bool:
        yield not value, 3.0
    elif isinstance(value, int):
        usual = (value + 1, value - 1, 1, 2, 3, value // 2, value * 2, 0, 4, 5)
        more = (-1,) if value in (0, 1, 2) else ()
        for other in dict.fromkeys((*usual, *more)):
            if other != value and other <= LARGEST:
                near = other in (1, value + 1, value - 1)
                yield other, 1.2 if near else 0.8
    elif isinstance(value, float):
        for other in dict.fromkeys((0.0, 0.5, 1.0, value * 2, value / 10, value * 10, -value)):
            if other != value:
                yield other, 0.8


def shrunk(tree: ast.Module, fixed: int, share: int = 16) -> list[Edit]:
    """Return edits that leave large numbers of a program a part of them, one a number."""
    body = tree.body[fixed:]
    nodes = [node for statement in body for node in ast.walk(statement)]
    groups: dict[int, list[int]] = {}
    for node in nodes:
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 64:
            groups.setdefault(node.value, []).append(_number(node))
    return [
        Edit("literal", tuple(numbers), repr(max(8, value // share)), repr(value))
        for value, numbers in sorted(groups.items(), reverse=True)
    ]


def first_rounds(tree: ast.Module, fixed: int, names: Collection[str] = frozenset()) -> list[Edit]:
    """Return edits that leave each loop of a program one round, written out where that can be.

    That is the first whose element has one of some ``names``, else the first of all.
    """
    nodes = [node for statement in tree.body[fixed:] for node in ast.walk(statement)]
    found: list[Edit] = []
    for loop in (each for each in nodes if isinstance(each, ast.For)):
        place = _place_of(names, loop.iter, nodes)
        text = "next(iter(it))" if place is None else f"it[{place}]"
        iterated = ast.unparse(loop.iter)
        if _leaves_rounds(loop):
            found.append(Edit("form", (_number(loop.iter),), f"[{text}]", iterated))
        else:
            found.append(Edit("round", (_number(loop),), text, iterated))
    return found


def _place_of(names: Collection[str], iterated: ast.expr, nodes: Sequence[ast.AST]) -> int | None:
    """Return the place of the first element of a written list that has one of some names."""
    made = [iterated]
    if isinstance(iterated, ast.Name):
        bound = (each for each in nodes if isinstance(each, ast.Assign))
        made = [each.value for each in bound if iterated.id in map(ast.unparse, each.targets)]
    lists = [each for each in made if isinstance(each, ast.List | ast.Tuple)]
    elements = lists[0].elts if len(lists) == len(made) == 1 else []
    words = (set(re.findall(r"\w+", ast.unparse(each))) for each in elements)
    return next((place for place, each in enumerate(words) if not each.isdisjoint(names)), None)


def _leaves_rounds(loop: ast.For) -> bool:
    """Return whether a loop has an end of its own, or statements that leave one of its rounds."""
    leaving = (ast.Break, ast.Continue)
    return bool(loop.orelse) or any(isinstance(n, leaving) for n in ast.walk(loop))


def batch_of_two(tree: ast.Module, fixed: int) -> list[Edit]:
    """Return the edit, if any, that makes the first size of arrays two where it is one.

    Examples have a batch of one, in which what belongs to one row reaches all.
    """
    nodes = (node for statement in tree.body[fixed:] for node in ast.walk(statement))
    calls = (node for node in nodes if isinstance(node, ast.Call) and _is_factory(node))
    first = (size for call in calls for size in _first_sizes(call))
    numbers = tuple(_number(each) for each in first if getattr(each, "value", None) == 1)
    return [Edit("literal", numbers, "2", "1")] if numbers else []


def _first_sizes(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the first size that is given to a call which makes an array of several."""
    name = ast.unparse(call.func).rpartition(".")[2]
    sizes = call.args[: None if name == "randint" else 1]
    given = [e for e in sizes if isinstance(e, ast.Tuple | ast.List) and len(e.elts) > 1]
    if name not in ("tensor", "array"):
        yield from (each.elts[0] for each in given)
    if name in _SIZED and len(call.args) > 1:
        yield call.args[0]
