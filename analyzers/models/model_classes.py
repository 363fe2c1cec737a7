"""Classes of a project that are models, by their bases, followed through its files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from analyzers.inference.facts import FunctionContext, ProjectTexts, parse_module
from analyzers.inference.function_lookup import find_function
from analyzers.inference.shape_interpreter.project_modules import imported, required_arguments
from analyzers.ports import Executor
from analyzers.vocabulary import Target

MOST_STEPS = 8
TORCH, KERAS = "torch", "keras"
_ROOTS = {
    TORCH: re.compile(
        r"torch\.nn\.(?:modules\.\w+\.)?[A-Z]\w*"
        r"|(?:pytorch_lightning|lightning(?:\.pytorch)?)(?:\.core(?:\.module)?)?\.LightningModule"
    ),
    KERAS: re.compile(r"(?:tensorflow\.|tf\.)?keras\.(?:models\.)?(?:Model|Sequential)"),
}
_NO_MODEL = re.compile(r"(?:Loss|Criterion|Metric|Penalty|Regularizer)(?:es|s)?(?:_?v?\d+)?$")
"""What is called with predictions and targets, and exported by nobody."""


class ProjectClasses:
    """The classes of a project's files; ``texts`` are its sources by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def framework(self, path: str, dotted: str, steps: int = MOST_STEPS) -> str | None:
        """Return ``torch`` or ``keras`` where a dotted name of a file is a class of models."""
        if steps <= 0 or _NO_MODEL.search(dotted):
            return None
        tree = parse_module(self._texts.get(path, ""))
        if tree is None:
            return None
        found = _class(tree, dotted)
        if found is not None:
            bases = (ast.unparse(base) for base in found.bases)
            known = (self.framework(path, base, steps - 1) for base in bases)
            return next(filter(None, known), None)
        whole = full_name(tree, dotted)
        named = (name for name, root in _ROOTS.items() if root.fullmatch(whole))
        return next(named, None) or self._elsewhere(path, whole, steps - 1)

    def _elsewhere(self, path: str, whole: str, steps: int) -> str | None:
        parts = whole.split(".")
        for end in range(len(parts) - 1, 0, -1):
            for other in self._files(path, parts[:end]):
                found = self.framework(other, ".".join(parts[end:]), steps)
                if found is not None:
                    return found
        return None

    def _files(self, path: str, module: list[str]) -> Iterator[str]:
        if module[0] == "":
            yield from self._beside(path, module)
            return
        tail = "/".join(module)
        ends = (f"{tail}.py", f"{tail}/__init__.py")
        for other in sorted(self._texts, key=len):
            if other.endswith(ends) and any(
                other in (e, f"src/{e}") or other.endswith(f"/{e}") for e in ends
            ):
                yield other

    def _beside(self, path: str, module: list[str]) -> Iterator[str]:
        names = [name for name in module if name]
        folder = path.split("/")[: -(len(module) - len(names))]
        stem = "/".join([*folder, *names])
        yield from (each for each in (f"{stem}.py", f"{stem}/__init__.py") if each in self._texts)


def _class(tree: ast.AST, dotted: str) -> ast.ClassDef | None:
    around: ast.AST = tree
    for name in dotted.split("."):
        inside = (node for node in ast.walk(around) if isinstance(node, ast.ClassDef))
        found = next((node for node in inside if node.name == name), None)
        if found is None:
            return None
        around = found
    return around if isinstance(around, ast.ClassDef) else None


def full_name(tree: ast.Module, dotted: str) -> str:
    """Return the full name of a file's name (``F.relu``); relative imports keep their dots."""
    first, _, rest = dotted.partition(".")
    bound = imports(tree).get(first, first)
    return f"{bound}.{rest}" if rest else bound


@lru_cache(maxsize=64)
def imports(tree: ast.Module) -> Mapping[str, str]:
    """Return what a file imports, by the names that it gives them."""
    return dict(pair for node in ast.walk(tree) for pair in imported(node))


FORWARDS = ("forward", "call", "__call__")
_CONSTRUCTORS = ("__init__", "setup", "build")
_APART = frozenset({"staticmethod", "classmethod", "property"})
_NO_PART = frozenset(
    {"training_step", "validation_step", "test_step", "predict_step", "configure_optimizers"}
)


class Role(StrEnum):
    """Way from a target's call to a model."""

    FORWARD = "forward"
    CONSTRUCTOR = "constructor"
    METHOD = "method"
    BUILDER = "builder"


@dataclass(frozen=True, slots=True)
class TargetModel:
    """A model of a target: ``symbol`` is what is one model, ``name`` what reports call it.

    ``forward`` is the qualified name of the method that takes its inputs, in ``path``;
    empty where no file of the project has it.
    """

    role: Role
    framework: str
    symbol: str
    name: str
    path: str
    forward: str = ""


def found(target: Target, bench: Executor) -> TargetModel | None:
    """Return the model that a target is a method of, or makes; ``None`` where it has none."""
    return found_in(target.path, target.function, ProjectTexts(bench))


def found_in(path: str, function: str, texts: Mapping[str, str]) -> TargetModel | None:
    """Return the model that a function of a file is a method of, or makes."""
    subject = find_function(path, function, texts)
    if subject is None or "<locals>" in function:
        return None
    classes = ProjectClasses(texts)
    return _method(subject, classes, texts) if subject.owner else _builder(subject, classes)


def _method(
    subject: FunctionContext, classes: ProjectClasses, texts: Mapping[str, str]
) -> TargetModel | None:
    owner, _, name = subject.function.rpartition(".")
    framework = classes.framework(subject.path, owner)
    decorators = {ast.unparse(each) for each in subject.node.decorator_list}
    if framework is None or decorators & _APART or name in _NO_PART:
        return None
    forward = next(
        (each for each in FORWARDS if find_function(subject.path, f"{owner}.{each}", texts)), None
    )
    role = _role(name)
    if forward is None and role is not Role.CONSTRUCTOR:
        return None
    return TargetModel(
        role,
        framework,
        f"{subject.path}::{owner}",
        owner,
        subject.path,
        "" if forward is None else f"{owner}.{forward}",
    )


def _role(name: str) -> Role:
    if name in FORWARDS:
        return Role.FORWARD
    return Role.CONSTRUCTOR if name in _CONSTRUCTORS else Role.METHOD


def _builder(subject: FunctionContext, classes: ProjectClasses) -> TargetModel | None:
    for made in returned(subject.node):
        framework = classes.framework(subject.path, made)
        if framework is not None:
            symbol = f"{subject.path}::{subject.function}"
            return TargetModel(Role.BUILDER, framework, symbol, subject.function, subject.path)
    return None


def returned(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Yield the dotted names of what is called for the values that a function returns."""
    if node.returns is not None:
        yield ast.unparse(node.returns).strip("'\"")
    made = {
        target.id: each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    for each in ast.walk(node):
        if not isinstance(each, ast.Return) or each.value is None:
            continue
        value = (
            made.get(each.value.id, each.value) if isinstance(each.value, ast.Name) else each.value
        )
        if isinstance(value, ast.Call):
            yield ast.unparse(value.func)


def models_in(path: str, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the qualified names of functions of a file, one for each model that is whole.

    A model is told by its ``forward``; where its constructor takes arguments, by a function
    without any that makes it, if there is one.  Layers that another model of the file is
    built of, and classes that others derive from, are no models of their own.
    """
    tree = parse_module(texts.get(path, ""))
    if tree is None:
        return ()
    forwards = dict(_forwards(path, tree, texts))
    parts = set(_parts(tree, forwards))
    whole = [name for name in forwards if name not in parts] or list(forwards)
    builders = dict(_builders(path, tree, texts))
    found = {name: forwards[name] for name in whole if not _is_open(path, name, texts)}
    for builder, made in builders.items():
        if made not in found and made in forwards and not _is_open(path, builder, texts):
            found[made] = builder
    for name in whole:
        found.setdefault(name, forwards[name])
    used = set(_parts(tree, {**forwards, **builders}))
    others = [each for each, made in builders.items() if made not in forwards and each not in used]
    return (*found.values(), *others)


def _forwards(path: str, tree: ast.Module, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    classes = ProjectClasses(texts)
    for each in tree.body:
        if not isinstance(each, ast.ClassDef) or classes.framework(path, each.name) is None:
            continue
        names = (f"{each.name}.{method}" for method in FORWARDS)
        forward = next((name for name in names if find_function(path, name, texts)), None)
        if forward is not None:
            yield each.name, forward


def _parts(tree: ast.Module, names: Mapping[str, str]) -> Iterator[str]:
    for each in tree.body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name in names:
            used = {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
            yield from (used & names.keys()) - {each.name}


def _builders(path: str, tree: ast.Module, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    classes = ProjectClasses(texts)
    for each in tree.body:
        if not isinstance(each, ast.FunctionDef):
            continue
        found = found_in(path, each.name, texts)
        if found is not None and found.role is Role.BUILDER:
            made = (name for name in returned(each) if classes.framework(path, name))
            yield each.name, next(made, "")


def _is_open(path: str, name: str, texts: Mapping[str, str]) -> bool:
    subject = find_function(path, f"{name}.__init__", texts) or find_function(path, name, texts)
    return subject is not None and bool(required_arguments(subject.node.args))
