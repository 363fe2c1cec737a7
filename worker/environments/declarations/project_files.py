"""Project files: pyproject.toml, Pipfile, setup.cfg, setup.py, environment.yml."""

from __future__ import annotations

import ast
import configparser
import posixpath
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from worker.environments.declarations.declaration import (
    Declaration,
    TargetPython,
    read_requirement,
    specifiers,
)
from worker.environments.declarations.lock_files import holds
from worker.environments.declarations.requirement_files import RequirementFiles
from worker.environments.declarations.tree_files import (
    TreeFiles,
    Unreadable,
    items,
    joined,
    table,
    texts,
)

_ELSEWHERE = ("git", "url", "path", "file")
_PART = re.compile(r"(\^|~(?!=)|[<>=!~]=?=?)?\s*([\w.*!+-]+)\Z", re.ASCII)


def version_sets(text: str) -> list[SpecifierSet]:
    """Return the alternatives of a constraint like ``^3.9 || ~2.7``; those that can be read."""
    found = [specifiers(",".join(_parts(part))) for part in text.split("||")]
    return [each for each in found if each is not None]


def _parts(text: str) -> Iterator[str]:
    for part in re.split(r"[,\s]+(?=[\^~<>=!\d*])", text.strip()):
        match = _PART.match(part.strip())
        if match is None:
            yield part.strip()
        elif match[2] != "*":
            yield from _bounds(match[1] or "==", match[2])


def _bounds(operator: str, version: str) -> Iterator[str]:
    if operator not in {"^", "~"}:
        operator = "==" if operator == "=" else operator
        wild = version.endswith(".*") and operator not in {"==", "!="}
        yield operator + (version[:-2] if wild else version)
        return
    numbers = [int(part) for part in re.findall(r"\d+", version)][:3] or [0]
    yield f">={version}"
    if operator == "~":
        at = min(1, len(numbers) - 1)
    else:
        at = next((i for i, number in enumerate(numbers) if number), len(numbers) - 1)
    yield f"<{'.'.join(map(str, [*numbers[:at], numbers[at] + 1]))}"


def requirement_of(name: str, value: Any) -> tuple[str, str] | None:
    """Return a Poetry or Pipfile entry as requirement and marker; or ``None`` if off the index."""
    about = table(value)
    if not about.keys().isdisjoint(_ELSEWHERE):
        return None
    version = str(about.get("version", "*") if about else value)
    sets = version_sets(version)
    extras = f"[{','.join(texts(about.get('extras')))}]" if about.get("extras") else ""
    marker = about.get("markers")
    return f"{name}{extras}{sets[0] if sets else version}", marker if marker else ""


MOST_DEPTH = 20


@dataclass(frozen=True, slots=True)
class SetupArguments:
    """The requirements with their lines, the Python versions, and whether a part is computed.

    ``extras`` are the requirements of all extras.
    """

    requirements: tuple[tuple[int, str], ...] = ()
    extras: tuple[str, ...] = ()
    python: str = ""
    unread: bool = False


def setup_arguments(text: str) -> SetupArguments:
    """Return what a script gives to ``setup()``; raises ``Unreadable``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unreadable("cannot be parsed") from error
    names = dict(_bindings(module))
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and _called(node) == "setup":
            return _arguments(node, names)
    return SetupArguments()


def _arguments(call: ast.Call, names: Mapping[str, ast.expr]) -> SetupArguments:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    wanted = given.get("install_requires")
    requirements = [] if wanted is None else list(_texts(wanted, names))
    versions = given.get("python_requires")
    python = [] if versions is None else list(_texts(versions, names))
    return SetupArguments(
        tuple((line, text) for line, text in requirements if text is not None),
        tuple(_extras(given.get("extras_require"), names)),
        next((text for _, text in python if text), ""),
        any(text is None for _, text in requirements),
    )


def _extras(value: ast.expr | None, names: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the literal requirements of all extras."""
    if isinstance(value, ast.Name):
        value = names.get(value.id)
    if isinstance(value, ast.Dict):
        for each in value.values:
            yield from (text for _, text in _texts(each, names) if text is not None)


def _bindings(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(
    value: ast.expr, names: Mapping[str, ast.expr], depth: int = MOST_DEPTH
) -> Iterator[tuple[int, str | None]]:
    """Yield the strings of an expression with their lines; ``None`` for a part that is computed."""
    match value:
        case ast.Constant(value=str(text)):
            for offset, line in enumerate(text.splitlines()):
                if line.strip():
                    yield value.lineno + offset, line.strip()
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) if depth:
            for part in parts:
                yield from _texts(part, names, depth - 1)
        case ast.BinOp(left=left, op=ast.Add(), right=right) if depth:
            yield from _texts(left, names, depth - 1)
            yield from _texts(right, names, depth - 1)
        case ast.Starred(value=inner) if depth:
            yield from _texts(inner, names, depth - 1)
        case ast.Name(id=name) if depth and name in names:
            yield from _texts(names[name], names, depth - 1)
        case _:
            yield value.lineno, None


NOT_RUNTIME = re.compile(
    r"(dev|tests?|testing|docs?|lint|typing|build|release|ci|bench\w*)\Z", re.I
)
Reader = Callable[[TreeFiles, str, Declaration, TargetPython], None]


def read_pyproject(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """PEP 621, dependency groups (PEP 735) and poetry's tables; not those of development."""
    document = files.toml(path)
    project = table(document.get("project"))
    groups = table(document.get("dependency-groups"))
    extras = table(project.get("optional-dependencies"))
    found = [
        *texts(project.get("dependencies")),
        *(text for name, group in extras.items() if _is_runtime(name) for text in texts(group)),
        *(
            text
            for name in groups
            if _is_runtime(name)
            for text in group_requirements(groups, name)
        ),
    ]
    for text in found:
        read_requirement(declaration, text, path, target)
    tools = table(document.get("tool"))
    dynamic = table(table(tools.get("setuptools")).get("dynamic"))
    named = table(dynamic.get("dependencies")).get("file")
    names = [named] if isinstance(named, str) else texts(named)
    _read_named(files, path, declaration, target, names)
    _read_poetry(table(tools.get("poetry")), path, declaration, target)


def _is_runtime(name: str) -> bool:
    return NOT_RUNTIME.match(name) is None


def group_requirements(groups: Mapping[str, Any], name: str, depth: int = 10) -> Iterator[str]:
    """Yield the requirements of a dependency group and of those that it includes (PEP 735)."""
    for item in items(groups.get(name)):
        if isinstance(item, str):
            yield item
        elif depth and isinstance(item, dict):
            yield from group_requirements(groups, str(item.get("include-group")), depth - 1)


def _read_named(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython, names: list[str]
) -> None:
    for name in names:
        inside = joined(posixpath.dirname(path), name)
        try:
            RequirementFiles(files, declaration, target).read(inside or "")
        except Unreadable as reason:
            declaration.note(f"{path}: a file that it names {reason}")


def _read_poetry(
    poetry: Mapping[str, Any], path: str, declaration: Declaration, target: TargetPython
) -> None:
    groups = table(poetry.get("group"))
    runtime = [table(group) for name, group in groups.items() if _is_runtime(name)]
    for dependencies in [poetry, *runtime]:
        _read_table(table(dependencies.get("dependencies")), path, declaration, target)


def poetry_requirements(poetry: Mapping[str, Any], target: TargetPython) -> Iterator[str]:
    """Yield the requirements of all of poetry's groups, those for development too."""
    groups = [table(each).get("dependencies") for each in table(poetry.get("group")).values()]
    for dependencies in map(table, (*groups, poetry.get("dev-dependencies"))):
        for name, value in dependencies.items():
            first = value[0] if isinstance(value, list) and value else value
            requirement = None if name == "python" else requirement_of(name, first)
            if requirement and (not requirement[1] or holds(requirement[1], target)):
                yield requirement[0]


def _read_table(
    dependencies: Mapping[str, Any], path: str, declaration: Declaration, target: TargetPython
) -> None:
    for name, value in dependencies.items():
        if name == "python":
            continue
        requirement = requirement_of(name, value[0] if isinstance(value, list) and value else value)
        if requirement is None:
            declaration.leave_out(name, "does not come from an index", path)
        elif not requirement[1] or holds(requirement[1], target):
            read_requirement(declaration, requirement[0], path, target)


def read_pipfile(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """The packages of a ``Pipfile``."""
    _read_table(table(files.toml(path).get("packages")), path, declaration, target)


def read_setup_cfg(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """``install_requires`` and the extras of ``setup.cfg``."""
    document = config(files.text(path))
    extras = "options.extras_require"
    found = [document.get("options", "install_requires", fallback="")]
    if document.has_section(extras):
        found += [text for name, text in document.items(extras) if _is_runtime(name)]
    for text in found:
        if text.strip().startswith("file:"):
            named = [name.strip() for name in text.strip()[5:].split(",")]
            _read_named(files, path, declaration, target, named)
            continue
        for line in text.splitlines():
            if line.strip() and not line.strip().startswith("#"):
                read_requirement(declaration, line.strip(), path, target)


def config(text: str) -> configparser.ConfigParser:
    """A document in the form of ``setup.cfg``; raises ``Unreadable``."""
    document = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        document.read_string(text)
    except (configparser.Error, AttributeError) as error:
        raise Unreadable("cannot be parsed") from error
    return document


def read_setup_script(
    files: TreeFiles, path: str, declaration: Declaration, target: TargetPython
) -> None:
    """Read the literals that ``setup.py`` gives to ``setup()``; it is not run."""
    arguments = setup_arguments(files.text(path))
    if arguments.unread:
        declaration.note(f"{path}: install_requires is computed and cannot be read without running")
    for line, text in arguments.requirements:
        read_requirement(declaration, text, f"{path}:{line}", target)


def read_conda(files: TreeFiles, path: str, declaration: Declaration, target: TargetPython) -> None:
    """The pip part of a conda environment; conda's own packages are named."""
    for item in items(conda(files, path).get("dependencies")):
        if isinstance(item, str) and canonicalize_name(re.split(r"[=<> ]", item)[0]) not in {
            *("python", "pip", "setuptools", "wheel")
        }:
            declaration.leave_out(item, "is conda's, not the index's", path)
        for text in texts(table(item).get("pip")):
            if text.startswith("-"):
                declaration.note(f"{path}: options for pip are not heeded")
            else:
                read_requirement(declaration, text, path, target)


def conda(files: TreeFiles, path: str) -> dict[str, Any]:
    """A conda environment file; raises ``Unreadable``."""
    try:
        return table(yaml.safe_load(files.text(path)))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable("is no YAML") from error


PROJECT_FILES: Mapping[str, Reader] = {
    "pyproject.toml": read_pyproject,
    "Pipfile": read_pipfile,
    "setup.cfg": read_setup_cfg,
    "setup.py": read_setup_script,
    "environment.yml": read_conda,
    "environment.yaml": read_conda,
}
"""Read in this order behind the locks and requirement files."""
