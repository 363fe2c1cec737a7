"""Names that an SDK has no more, or not so, in a version which the project's own files allow."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from posixpath import basename

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from analyzers import catalogue
from analyzers.catalogue.api_descriptions import RemovedNames
from analyzers.cloud import messages
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText, parsed_source
from analyzers.ports import Executor
from analyzers.rules.cloud_rules import MISUSE
from analyzers.source_checks.answer_values import FileScope
from analyzers.vocabulary import Finding

KIND = "removed-name"
_DECLARING = re.compile(
    r"(requirements|constraints|environment|conda)[^/]*\.(txt|in|ya?ml)"
    r"|pyproject\.toml|setup\.cfg|setup\.py|Pipfile(\.lock)?|poetry\.lock|uv\.lock"
)
_INSTALLING = re.compile(r"\b(pip3?|conda|uv|poetry)\s+(install|add)\b")
_DOCUMENTED = (".md", ".rst", ".sh", ".ipynb", "dockerfile", "containerfile", ".yml", ".yaml")
_FAR = Version("9999")
_GUARD = re.compile(r"hasattr|getattr|version|find_spec", re.IGNORECASE)
_EXPECTED = re.compile(r"\b(Import|ModuleNotFound|Attribute)Error\b|\b(Base)?Exception\b")


def removed_sdk_names(source: TargetText) -> Iterator[Finding]:
    """Yield the first use of each removed module or class in the files of a target."""
    bench = source.bench
    for path in dict.fromkeys((source.target.path, *source.target.files)):
        try:
            text = parsed_source(bench.source(path)) if path in bench.paths() else None
        except (SyntaxError, ValueError, RecursionError):
            continue
        for removed in catalogue.load_catalogue().removed if text is not None else ():
            assert text is not None
            use = next((node for node in _uses(text, removed) if not _guarded(node, text)), None)
            declared = allowing(removed, bench) if use is not None else ""
            if use is not None and declared:
                yield _finding(source, path, text, use, removed, declared)


def _uses(text: SourceText, removed: RemovedNames) -> Iterator[ast.AST]:
    """Yield where a file imports, or takes from its module, what was removed."""
    lost = {f"{removed.module}.{name}" for name in removed.names}
    if removed.positional:
        yield from _by_position(text.tree, lost)
        return
    bound: set[str] = set()
    for node in sorted(_located(text.tree), key=lambda each: (each.lineno, each.col_offset)):
        match node:
            case ast.ImportFrom(module=str(module), names=names, level=0):
                if module in lost or any(f"{module}.{each.name}" in lost for each in names):
                    yield node
                bound |= {
                    each.asname or each.name
                    for each in names
                    if f"{module}.{each.name}" == removed.module
                }
            case ast.Import(names=names):
                if any(each.name in lost for each in names):
                    yield node
                bound |= {each.asname or each.name for each in names if each.name == removed.module}
            case ast.Attribute(value=owner, attr=name) if name in removed.names:
                if ast.unparse(owner) in bound:
                    yield node
            case _:
                pass


def _by_position(tree: ast.Module, names: Collection[str]) -> Iterator[ast.Call]:
    """Yield the calls of some functions with positional arguments."""
    scope = FileScope(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and scope.dotted(node.func) in names:
            yield node


def _located(tree: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import | ast.Attribute):
            yield node


def _guarded(node: ast.AST, text: SourceText) -> bool:
    """Return whether code asks for the version, or expects the name to be missing."""
    for outer in text.ancestors(node):
        match outer:
            case ast.If(test=test) | ast.IfExp(test=test) if _GUARD.search(ast.unparse(test)):
                return True
            case ast.Try(handlers=handlers):
                kinds = (ast.unparse(each.type) if each.type else "Exception" for each in handlers)
                if any(map(_EXPECTED.search, kinds)):
                    return True
            case _:
                pass
    return False


# ------------------------------------------------------------- declarations


def allowing(removed: RemovedNames, bench: Executor) -> str:
    """Return where the project allows a version without the names; nothing if a file does not."""
    places: list[str] = []
    for path in bench.paths():
        for line, specifier in _required(removed.package, path, bench.source(path)):
            if not _allows(specifier, Version(removed.version)):
                return ""
            places.append(f"{path}:{line}")
    return min(places, key=_is_document, default="")


def _is_document(place: str) -> bool:
    return not _DECLARING.fullmatch(basename(place.rpartition(":")[0]))


def _required(package: str, path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that require a package, and the versions as they are written."""
    declaring = _DECLARING.fullmatch(basename(path)) is not None
    if not declaring and not path.lower().endswith(_DOCUMENTED):
        return
    flexible = re.escape(package).replace(r"\-", "[-_.]")
    named = re.compile(rf"(?<![\w./-]){flexible}(?![\w.-]*[\w-])(\[[^\]]*\])?", re.IGNORECASE)
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = named.search(line)
        if found is None or not (declaring or _INSTALLING.search(line[: found.start()])):
            continue
        if declaring and line.lstrip().startswith("#"):
            continue
        rest = line[found.end() :]
        if path.endswith(".lock"):
            rest = "==" + _locked(" ".join((rest, *lines[number + 1 : number + 8])))
        yield number + 1, rest


def _locked(rest: str) -> str:
    found = re.search(r"version\"?\s*[:=]\s*\"=*([\w.]+)", rest)
    return found[1] if found else "0"


def _allows(rest: str, since: Version) -> bool:
    """Return whether what follows a package's name admits a version from ``since`` on."""
    written = re.match(r"[\s\"'=:{]*(version\s*=\s*\")?(?P<spec>[\^<>=!~*\d][^\"';#}\s]*)?", rest)
    direct = re.match(r"\s*((===|==|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+\s*,?\s*)+", rest)
    specifier = direct[0] if direct else (written["spec"] or "" if written else "")
    if specifier in ("", "*", "latest"):
        return True
    if specifier[0] in "^~" and specifier[1:2].isdigit():
        specifier = f"~={specifier[1:]}.0" if specifier[1:].count(".") < 1 else f"~={specifier[1:]}"
    elif specifier[0].isdigit() or (specifier[0] == "=" and specifier[1:2].isdigit()):
        specifier = f"=={specifier.lstrip('=')}"
    try:
        allowed = SpecifierSet(specifier.strip().rstrip(","))
        named = [Version(each.version.removesuffix(".*")) for each in allowed]
    except (InvalidSpecifier, ValueError):
        return False
    tried = (since, _FAR, *(version for version in named if version >= since))
    return any(allowed.contains(str(version), prereleases=True) for version in tried)


def _finding(
    source: TargetText,
    path: str,
    text: SourceText,
    node: ast.AST,
    removed: RemovedNames,
    declared: str,
) -> Finding:
    line = text.line_of(text.span(node)[0])
    code = text.segment(node)
    return source.finding(
        MISUSE,
        path,
        text,
        node,
        (messages.keywords_alone if removed.positional else messages.removed_name)(
            code, f"{path}:{line}", removed.package, removed.version, declared, removed.instead
        ),
        {
            "misuse": KIND,
            "api": source.target.apis[0],
            "line": line,
            "package": removed.package,
            "removed": removed.version,
            "declared": declared,
        },
        f"{KIND}:{removed.module}",
    )
