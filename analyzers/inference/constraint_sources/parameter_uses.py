"""Constraints from a parameter's uses in the body of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ..facts import FunctionContext, body_nodes
from .module_scope import ModuleScope, scope_of

_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "tensors": (
        "size", "dim", "view", "permute", "unsqueeze", "to", "device", "cuda", "cpu", "detach",
        "contiguous", "numel", "requires_grad", "long", "half", "expand", "masked_fill",
        "backward", "scatter_", "gather", "is_cuda", "view_as", "new_zeros", "softmax", "argmax",
    ),
    "np_arrays": ("astype", "tobytes", "tolist", "argsort", "copy"),
    "strings": (
        "lower", "upper", "startswith", "endswith", "strip", "encode", "splitlines", "lstrip",
        "rstrip", "isdigit", "title", "join", "split",
    ),
    "dicts": ("items", "keys", "values"),
    "lists": ("append", "extend", "insert", "pop"),
    "modules": (
        "eval", "train", "parameters", "state_dict", "named_parameters", "modules", "children",
        "zero_grad", "load_state_dict", "named_modules",
    ),
    "optimizers": ("param_groups", "zero_grad", "step"),
    "images": ("convert", "getpixel", "putpixel", "crop"),
    "paths": ("exists", "is_file", "is_dir", "mkdir", "iterdir", "glob", "read_text"),
}  # fmt: skip
_PASSED: dict[str, str] = {
    "range": "ints",
    "open": "paths",
    "os.listdir": "paths",
    "os.makedirs": "paths",
    "pathlib.Path": "paths",
    "PIL.Image.open": "paths",
    "cv2.imread": "paths",
    "numpy.load": "paths",
    "torch.load": "paths",
    "pandas.read_csv": "paths",
    "json.load": "paths",
    "callable": "callables",
    "random.seed": "ints",
    "numpy.random.seed": "ints",
    "torch.manual_seed": "ints",
}
_PREFIXES: tuple[tuple[str, str], ...] = (
    ("os.path.", "paths"),
    ("torch.nn.functional.", "tensors"),
    ("torch.", "tensors"),
    ("numpy.", "np_arrays"),
    ("jax.", "jax_arrays"),
)
_CLASSES = {
    "torch.Tensor": "tensors",
    "numpy.ndarray": "np_arrays",
    "numpy.typing.NDArray": "np_arrays",
    "numpy.typing.ArrayLike": "np_arrays",
    "jax.Array": "jax_arrays",
    "jax.numpy.ndarray": "jax_arrays",
}
_LIBRARIES = (("tensors", "torch"), ("jax_arrays", "jax"), ("np_arrays", "numpy"))
_SHAPED = (
    "shape",
    "ndim",
    "reshape",
    "mean",
    "sum",
    "max",
    "min",
    "std",
    "T",
    "transpose",
    "dtype",
)
_SIZED = ("zeros", "ones", "empty", "full", "randn", "rand", "randint", "arange", "linspace", "eye")


def kinds(subject: FunctionContext, parameter: str) -> frozenset[str]:
    """The kinds of constraints that uses of a parameter speak for; ``arrays`` for any library's."""
    names = _names(subject, parameter)
    return frozenset(
        kind
        for name, body in names
        for kind in _spoken(subject.path, subject.tree, body).get(name, ())
    )


_Body = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _names(subject: FunctionContext, parameter: str) -> list[tuple[str, _Body]]:
    """Return the names that a parameter has, each with the body where it has that.

    What a constructor keeps as it is has the attribute's name in all methods.
    """
    found: list[tuple[str, _Body]] = [(parameter, subject.node)]
    if subject.owner is None or subject.node.name != "__init__":
        return found
    kept = {
        f"self.{target.attr}"
        for node in body_nodes(subject.node)
        if isinstance(node, ast.Assign) and _name(node.value) == parameter
        for target in node.targets
        if isinstance(target, ast.Attribute) and _name(target.value) == "self"
    }
    return [*found, *((name, subject.owner) for name in kept)]


def fields(subject: FunctionContext, parameter: str) -> dict[str, bool]:
    """Return the fields that a body reads of a parameter, and whether by key or ``get``.

    They are in order; there are none where it is used in other ways too.
    """
    found: dict[str, bool] = {}
    uses, read = 0, 0
    for node in body_nodes(subject.node):
        match node:
            case ast.Name(id=name) if name == parameter:
                uses += 1
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                args=[ast.Constant(value=str(key)), *_],
            ) if name == parameter:
                found[key] = True
                read += 1
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))) if (
                name == parameter
            ):
                found[key] = True
                read += 1
            case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Load()) if (
                name == parameter and attribute not in _OF_MAPPINGS
            ):
                found.setdefault(attribute, False)
                read += 1
            case _:
                pass
    return found if read == uses else {}


_OF_MAPPINGS = ("__dict__", "items", "keys", "values", "get", "update", "copy")


def is_number(subject: FunctionContext, parameter: str) -> bool:
    """Return whether a parameter is calculated with, and used in no other way than numbers are."""
    others = {each.arg for each in subject.parameters}
    calculated = False
    for name, body in _names(subject, parameter):
        for parent in body_nodes(body):
            if not any(_name(child) == name for child in ast.iter_child_nodes(parent)):
                continue
            if (
                not isinstance(parent, _OF_NUMBERS)
                or _name(getattr(parent, "func", parent)) == name
            ):
                return False
            called = ast.unparse(parent.func) if isinstance(parent, ast.Call) else ""
            calculated |= isinstance(parent, (ast.BinOp, ast.UnaryOp)) or called in others
    return calculated


_OF_NUMBERS = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.Return, ast.IfExp, ast.Tuple),
    *(ast.Call, ast.keyword, ast.Assign),
)


@lru_cache(maxsize=512)
def _spoken(path: str, tree: ast.Module, body: _Body) -> Mapping[str, frozenset[str]]:
    """Return the kinds that the uses of each name in a body speak for."""
    scope = ModuleScope(path, tree, {})
    found: dict[str, set[str]] = {}
    for name, kind in (each for node in body_nodes(body) for each in _uses(node, scope)):
        found.setdefault(name, set()).add(kind)
    return {name: frozenset(each) for name, each in found.items()}


def _uses(node: ast.AST, scope: ModuleScope) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Attribute):
        name = _name(node.value)
        yield from ((name, kind) for kind, names in _ATTRIBUTES.items() if node.attr in names)
        if node.attr in _SHAPED:
            yield name, "arrays"
    elif isinstance(node, ast.Call):
        yield from ((_name(node.func), kind) for kind in ("callables", "modules"))
        yield from _passed(node, scope)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.FloorDiv)):
        yield _name(node.right), "ints"
        if isinstance(node.op, ast.Mod):
            yield _name(node.left), "ints"


def _passed(node: ast.Call, scope: ModuleScope) -> Iterator[tuple[str, str]]:
    names = [_name(each) for each in node.args]
    if not any(names):
        return
    dotted = scope.dotted(node.func)
    if dotted in _PASSED:
        yield from ((name, _PASSED[dotted]) for name in names)
    elif dotted.rpartition(".")[2] in _SIZED:
        yield from ((name, "ints") for name in names)
    elif ".nn." not in dotted or ".functional." in dotted:
        yield from ((names[0], kind) for prefix, kind in _PREFIXES if dotted.startswith(prefix))


def _name(node: ast.AST) -> str:
    """Return a name, or an attribute of one, as it is written; else nothing."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def array_kind(
    subject: FunctionContext, parameter: str, keras: str | None = "np_arrays"
) -> str | None:
    """The library whose arrays a parameter takes, by its uses and the file's imports.

    Layers of ``keras`` take those of its backend, and of NumPy.
    """
    hinted = _hinted(subject, parameter)
    if hinted is not None:
        return hinted
    used = kinds(subject, parameter)
    origins = _origins(subject.tree)
    for kind, library in _LIBRARIES:
        if kind in used and library in origins:
            return kind
    if "torch" in origins:
        return "tensors"
    if "jax" in origins and "keras" not in origins:
        return "jax_arrays"
    if "keras" in origins:
        return keras
    return "np_arrays" if "numpy" in origins else None


@lru_cache(maxsize=512)
def _origins(tree: ast.Module) -> str:
    """The names of all packages that a file imports, in one text."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    return " ".join(sorted(found))


def _hinted(subject: FunctionContext, parameter: str) -> str | None:
    scope = scope_of(subject)
    for arg in subject.parameters:
        for node in ast.walk(arg.annotation) if arg.arg == parameter and arg.annotation else ():
            dotted = scope.dotted(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
            if dotted in _CLASSES:
                return _CLASSES[dotted]
    return None


def agree(subject: FunctionContext, parameter: str, kind: str) -> bool:
    """Return whether the body uses a parameter as a value of that kind."""
    used = kinds(subject, parameter)
    return kind in used or ("arrays" in used and kind in ("tensors", "np_arrays", "jax_arrays"))
