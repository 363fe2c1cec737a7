"""Project files: pyproject.toml, Pipfile, setup.cfg, setup.py, environment.yml."""

from __future__ import annotations

import configparser
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml
from packaging.utils import canonicalize_name

from worker.environments.declarations.locks import holds
from worker.environments.declarations.nouns import Declaration, Target, read_requirement
from worker.environments.declarations.poetry import requirement_of
from worker.environments.declarations.requirement_files import RequirementFiles
from worker.environments.declarations.setup_script import setup_arguments
from worker.environments.declarations.tree import (
    TreeFiles,
    Unreadable,
    items,
    joined,
    table,
    texts,
)

NOT_RUNTIME = re.compile(
    r"(dev|tests?|testing|docs?|lint|typing|build|release|ci|bench\w*)\Z", re.I
)
Reader = Callable[[TreeFiles, str, Declaration, Target], None]


def read_pyproject(files: TreeFiles, path: str, declaration: Declaration, target: Target) -> None:
    """PEP 621, dependency groups (PEP 735) and poetry's tables; not those of development."""
    document = files.toml(path)
    project = table(document.get("project"))
    groups = table(document.get("dependency-groups"))
    extras = table(project.get("optional-dependencies"))
    found = [
        *texts(project.get("dependencies")),
        *(text for name, group in extras.items() if _is_runtime(name) for text in texts(group)),
        *(text for name in groups if _is_runtime(name) for text in _group(groups, name)),
    ]
    for text in found:
        read_requirement(declaration, text, path, target)
    tools = table(document.get("tool"))
    _read_dynamic(files, path, declaration, target, tools)
    _read_poetry(table(tools.get("poetry")), path, declaration, target)


def _is_runtime(name: str) -> bool:
    return NOT_RUNTIME.match(name) is None


def _group(groups: Mapping[str, Any], name: str, depth: int = 10) -> Iterator[str]:
    for item in items(groups.get(name)):
        if isinstance(item, str):
            yield item
        elif depth and isinstance(item, dict):
            yield from _group(groups, str(item.get("include-group")), depth - 1)


def _read_dynamic(
    files: TreeFiles, path: str, declaration: Declaration, target: Target, tools: Mapping[str, Any]
) -> None:
    """Setuptools may say that the dependencies stand in requirement files."""
    dynamic = table(table(tools.get("setuptools")).get("dynamic"))
    named = table(dynamic.get("dependencies")).get("file")
    names = [named] if isinstance(named, str) else texts(named)
    _read_named(files, path, declaration, target, names)


def _read_named(
    files: TreeFiles, path: str, declaration: Declaration, target: Target, names: list[str]
) -> None:
    for name in names:
        inside = joined(posixpath.dirname(path), name)
        try:
            RequirementFiles(files, declaration, target).read(inside or "")
        except Unreadable as reason:
            declaration.note(f"{path}: a file that it names {reason}")


def _read_poetry(
    poetry: Mapping[str, Any], path: str, declaration: Declaration, target: Target
) -> None:
    groups = table(poetry.get("group"))
    runtime = [table(group) for name, group in groups.items() if _is_runtime(name)]
    for dependencies in [poetry, *runtime]:
        _read_table(table(dependencies.get("dependencies")), path, declaration, target)


def _read_table(
    dependencies: Mapping[str, Any], path: str, declaration: Declaration, target: Target
) -> None:
    for name, value in dependencies.items():
        if name == "python":
            continue
        requirement = requirement_of(name, value[0] if isinstance(value, list) and value else value)
        if requirement is None:
            declaration.leave_out(name, "does not come from an index", path)
        elif not requirement[1] or holds(requirement[1], target):
            read_requirement(declaration, requirement[0], path, target)


def read_pipfile(files: TreeFiles, path: str, declaration: Declaration, target: Target) -> None:
    """The packages of a ``Pipfile``."""
    _read_table(table(files.toml(path).get("packages")), path, declaration, target)


def read_setup_cfg(files: TreeFiles, path: str, declaration: Declaration, target: Target) -> None:
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
    files: TreeFiles, path: str, declaration: Declaration, target: Target
) -> None:
    """What ``setup.py`` gives to ``setup()`` in literals; it is not run."""
    arguments = setup_arguments(files.text(path))
    if arguments.unread:
        declaration.note(f"{path}: install_requires is computed and cannot be read without running")
    for line, text in arguments.requirements:
        read_requirement(declaration, text, f"{path}:{line}", target)


def read_conda(files: TreeFiles, path: str, declaration: Declaration, target: Target) -> None:
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
