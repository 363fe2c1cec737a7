"""The models that a file holds, each by the function that a campaign begins with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from analyzers.inference.subject import parsed, subject_of
from analyzers.models.classes import Classes
from analyzers.models.roles import FORWARDS, Role, found_in, returned


def models_in(path: str, texts: Mapping[str, str]) -> tuple[str, ...]:
    """The qualified names of functions of a file, one for each model that is whole.

    A model is told by its ``forward``; where its constructor takes arguments, by a function
    without any that makes it, if there is one.  Layers that another model of the file is
    built of, and classes that others derive from, are no models of their own.
    """
    tree = parsed(texts.get(path, ""))
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
    """Classes of models by name, with the method of theirs that takes the inputs."""
    classes = Classes(texts)
    for each in tree.body:
        if not isinstance(each, ast.ClassDef) or classes.framework(path, each.name) is None:
            continue
        names = (f"{each.name}.{method}" for method in FORWARDS)
        forward = next((name for name in names if subject_of(path, name, texts)), None)
        if forward is not None:
            yield each.name, forward


def _parts(tree: ast.Module, names: Mapping[str, str]) -> Iterator[str]:
    """Those of some definitions that another names: it is built of them, or derives from them."""
    for each in tree.body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name in names:
            used = {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
            yield from (used & names.keys()) - {each.name}


def _builders(path: str, tree: ast.Module, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Functions that make a model, with the name of what they make it by."""
    classes = Classes(texts)
    for each in tree.body:
        if not isinstance(each, ast.FunctionDef):
            continue
        found = found_in(path, each.name, texts)
        if found is not None and found.role is Role.BUILDER:
            made = (name for name in returned(each) if classes.framework(path, name))
            yield each.name, next(made, "")


def _is_open(path: str, name: str, texts: Mapping[str, str]) -> bool:
    """Whether a function, or the constructor of a class, needs arguments."""
    subject = subject_of(path, f"{name}.__init__", texts) or subject_of(path, name, texts)
    if subject is None:
        return False
    given = subject.node.args
    positional = [*given.posonlyargs, *given.args]
    needed = [each.arg for each in positional[: len(positional) - len(given.defaults)]]
    named = [a for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is None]
    return bool(named) or bool(set(needed) - {"self"})
