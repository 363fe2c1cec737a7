"""Tests of a project as programs: fixtures and parameters become assignments."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from posixpath import basename, dirname, join

from analyzers.inference.facts import parse_module

KNOWN_FIXTURES = {
    "device": "'cpu'",
    "dtype": "__import__('torch').float32",
    "rng": "__import__('numpy').random.default_rng(0)",
}
MOST_ROWS = 2
_DEVICE = re.compile(r"([A-Z]+_)*DEVICE")


def is_test_file(path: str) -> bool:
    """Return whether a file belongs to the tests of its project."""
    name = basename(path)
    inside = f"/{path}"
    named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return named or "/tests/" in inside or "/test/" in inside


def tables(texts: Mapping[str, str], words: Collection[str]) -> dict[str, list[int]]:
    """Return the constants that list something with one of some names, and at which places.

    Registries and the cases of tests hide their uses behind such a name.
    """
    found: dict[str, list[int]] = {}
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b")
    for path, text in texts.items():
        tree = parse_module(text) if path.endswith(".py") and wanted.search(text) else None
        for node in tree.body if tree is not None else ():
            if not isinstance(node, ast.Assign | ast.AnnAssign):
                continue
            value = node.value
            rows = value.elts if isinstance(value, ast.List | ast.Tuple) else ()
            places = [n for n, row in enumerate(rows) if wanted.search(ast.unparse(row))]
            name = ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
            if places and name.isidentifier() and not name.startswith("__"):
                found.setdefault(name, places)
    return found


def test_programs(
    path: str, texts: Mapping[str, str], listed: Mapping[str, Sequence[int]]
) -> Iterator[tuple[int, str, int]]:
    """Yield the tests of a file: line, program, and how many statements come before the test.

    Of the parameters that :func:`tables` knows, ``listed``, the first is that of a known place.
    Fixtures of ``conftest.py`` are known where they need no more than their file imports.
    """
    tree = parse_module(texts[path])
    if tree is None:
        return
    first, fixtures = list[ast.stmt](), dict[str, ast.FunctionDef]()
    for each in _conftests(path, texts):
        conftest = parse_module(texts[each]) or ast.Module([], [])
        fixtures |= _fixtures(conftest)
        imports = [e for e in conftest.body if isinstance(e, ast.Import | ast.ImportFrom)]
        first += _importable(imports, each, texts)
    needs = {name for _, node in _tests(tree) for name in _asked(node)}
    first = first if needs & fixtures.keys() else []
    fixtures |= _fixtures(tree)
    own = [each for each in tree.body if _is_shared(each, fixtures)]
    first += _importable(own, path, texts)
    devices = {name for each in first for name in _bound_by(each) if _DEVICE.fullmatch(name)}
    first += ast.parse("\n".join(f"{name} = 'cpu'" for name in sorted(devices))).body
    for owner, node in _tests(tree):
        for body in _bodies(owner, node, fixtures, listed):
            shared = _without_pytest(first, body)
            program = ast.Module([*shared, *body], [])
            yield node.lineno, ast.unparse(ast.fix_missing_locations(program)), len(shared)


def _fixtures(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return {node.name: node for node in functions if _is_decorated(node, "fixture")}


def _asked(node: ast.FunctionDef) -> list[str]:
    return [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _conftests(path: str, texts: Mapping[str, str]) -> list[str]:
    """Return the files of fixtures that pytest reads for a file, the outermost first."""
    parts = dirname(path).split("/") if dirname(path) else []
    folders = ["/".join(parts[:depth]) for depth in range(len(parts) + 1)]
    found = (join(each, "conftest.py") for each in folders)
    return [each for each in found if each in texts and each != path]


def _importable(first: Sequence[ast.stmt], path: str, texts: Mapping[str, str]) -> list[ast.stmt]:
    """Return statements whose imports work as pytest makes them work.

    It puts the first folder above a file that is no package before all others (its import mode
    "prepend").
    """
    package = dirname(path)
    while package and join(package, "__init__.py") in texts:
        package = dirname(package)
    inside = dirname(path)[len(package) :].strip("/").split("/")
    found: list[ast.stmt] = []
    for each in first:
        if isinstance(each, ast.ImportFrom) and each.level:
            kept = inside[: len(inside) - each.level + 1]
            name = ".".join([*filter(None, kept), *([each.module] if each.module else [])])
            found.append(ast.ImportFrom(name, each.names, 0) if name else each)
        else:
            found.append(each)
    names = {name.split(".")[0] for each in found for name in _imported(each)}
    near = any(
        join(package, f"{name}{end}") in texts for name in names for end in (".py", "/__init__.py")
    )
    if not near or package in ("", "src"):
        return found
    return [*ast.parse(f"import sys\nsys.path.insert(0, {package!r})").body, *found]


def _imported(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


def _bound_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [each.asname or each.name for each in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _tests(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name.startswith("test"):
                    yield node, each


def _is_shared(node: ast.stmt, fixtures: Mapping[str, ast.FunctionDef]) -> bool:
    """Return whether a statement of a file of tests stands before each of its tests."""
    if isinstance(node, ast.FunctionDef):
        return not node.name.startswith("test") and node.name not in fixtures
    if isinstance(node, ast.If):
        return "__main__" not in ast.unparse(node.test)
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _bodies(
    owner: ast.ClassDef | None,
    node: ast.FunctionDef,
    fixtures: Mapping[str, ast.FunctionDef],
    listed: Mapping[str, Sequence[int]],
) -> Iterator[list[ast.stmt]]:
    """Yield the statements of a test for some of its rows of parameters."""
    rows = _rows(node, owner, listed)
    number = max(map(len, rows.values()), default=1)
    for row in sorted({0, number - 1})[:MOST_ROWS]:
        given = {name: values[min(row, len(values) - 1)] for name, values in rows.items() if values}
        bound = _arguments(node, given, fixtures, is_method=owner is not None)
        if bound is not None:
            instance = _instance(owner, node) if owner is not None else []
            yield [*instance, *bound, *_observed_body(node.body)]


def _arguments(
    node: ast.FunctionDef,
    given: Mapping[str, str],
    fixtures: Mapping[str, ast.FunctionDef],
    *,
    is_method: bool,
) -> list[ast.stmt] | None:
    """Return assignments to the parameters of a test; ``None`` where one has no known value."""
    found: list[ast.stmt] = []
    names = [each.arg for each in node.args.args][1 if is_method else 0 :]
    defaults = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
    for name in names:
        if name in given:
            found += ast.parse(f"{name} = {given[name]}").body
        elif name in defaults:
            found += ast.parse(f"{name} = {ast.unparse(defaults[name])}").body
        elif name in fixtures:
            made = _fixture(name, fixtures)
            if made is None:
                return None
            found += made
        elif name in KNOWN_FIXTURES:
            found += ast.parse(f"{name} = {KNOWN_FIXTURES[name]}").body
        else:
            return None
    return found


def _fixture(
    name: str, fixtures: Mapping[str, ast.FunctionDef], depth: int = 0
) -> list[ast.stmt] | None:
    """Return the statements of a fixture that returns or yields a value; what follows is dropped.

    Of several parameters it has the first.
    """
    node = fixtures[name]
    given = _given(node)
    last = (each.arg for each in reversed(node.args.args))
    own = dict(zip(last, reversed(node.args.defaults), strict=False))
    found: list[ast.stmt] = []
    for each, default in own.items():
        found += ast.parse(f"{each} = {ast.unparse(default)}").body
    for each in (each for each in _asked(node) if each not in own):
        if each == "request":
            if given is None:
                return None
            continue
        inner = _fixture(each, fixtures, depth + 1) if each in fixtures and depth < 3 else None
        known = KNOWN_FIXTURES.get(each)
        if inner is None and known is None:
            return None
        found += ast.parse(f"{each} = {known}").body if inner is None else inner
    for place, statement in enumerate(node.body):
        value = statement.value if isinstance(statement, ast.Return | ast.Expr) else None
        made = value.value if isinstance(value, ast.Yield) else value
        if isinstance(statement, ast.Return) or isinstance(value, ast.Yield):
            text = "\n".join(map(ast.unparse, node.body[:place]))
            text += f"\n{name} = {ast.unparse(made) if made is not None else None}"
            return [*found, *ast.parse(re.sub(r"\brequest\.param\b", given or "None", text)).body]
    return None


def _given(node: ast.FunctionDef) -> str | None:
    """Return the first of a fixture's parameters, as source."""
    calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
    values = (e.value for call in calls for e in call.keywords if e.arg == "params")
    rows = (value.elts for value in values if isinstance(value, ast.List | ast.Tuple))
    first = next((row[0] for row in rows if row), None)
    return None if first is None else f"({_row(first, 1)[0]})"


def _rows(
    node: ast.FunctionDef, owner: ast.ClassDef | None, listed: Mapping[str, Sequence[int]]
) -> dict[str, list[str]]:
    """Return the values of parametrised names, as source."""
    found: dict[str, list[str]] = {}
    for each in [*node.decorator_list, *(owner.decorator_list if owner else ())]:
        if not isinstance(each, ast.Call) or len(each.args) < 2:
            continue
        if not ast.unparse(each.func).endswith("parametrize"):
            continue
        named, values = each.args[:2]
        names = _names(named)
        if isinstance(values, ast.List | ast.Tuple):
            rows = [_row(row, len(names)) for row in values.elts]
        else:
            whole = f"list({ast.unparse(values)})"
            first = next(iter(listed.get(ast.unparse(values), ())), 0)
            ends = (f"{whole}[{first}]", f"{whole}[-1]")
            plain = len(names) == 1
            rows = [[e] if plain else [f"{e}[{i}]" for i in range(len(names))] for e in ends]
        for place, name in enumerate(names):
            found[name] = [row[place] for row in rows if place < len(row)]
    return found


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [each.strip() for each in node.value.split(",")]
    elements = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]


def _row(node: ast.expr, names: int) -> list[str]:
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("param"):
        return [ast.unparse(each) for each in node.args]
    if names > 1 and isinstance(node, ast.List | ast.Tuple):
        return [ast.unparse(each) for each in node.elts]
    text = ast.unparse(node)
    return [text] if names == 1 else [f"({text})[{place}]" for place in range(names)]


def _instance(owner: ast.ClassDef, node: ast.FunctionDef) -> list[ast.stmt]:
    unittest = any("TestCase" in ast.unparse(base) for base in owner.bases)
    made = f"self = {owner.name}({node.name!r})" if unittest else f"self = {owner.name}()"
    methods = {each.name for each in owner.body if isinstance(each, ast.FunctionDef)}
    setup = [f"self.{each}()" for each in ("setUp",) if each in methods]
    setup += [f"self.{each}(None)" for each in ("setup_method",) if each in methods]
    return ast.parse("\n".join([made, *setup])).body


class _Plain(ast.NodeTransformer):
    """Drops what only pytest means; functions within are left alone."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.Pass() if node.value is None else ast.Expr(node.value)

    def visit_With(self, node: ast.With) -> ast.stmt:
        if any("raises" in ast.unparse(each.context_expr) for each in node.items):
            return ast.Pass()
        self.generic_visit(node)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        del node
        return ast.Pass()


def _observed_body(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    copy = ast.parse("\n".join(ast.unparse(each) for each in body))
    return [_Plain().visit(each) for each in copy.body]


def _without_pytest(shared: Sequence[ast.stmt], body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return what stands before a test without pytest, where nothing else needs it."""
    rest = [each for each in shared if not _is_import_of(each, "pytest")]
    used = any(
        isinstance(node, ast.Name) and node.id == "pytest"
        for statement in (*rest, *body)
        for node in ast.walk(statement)
    )
    return list(shared) if used else rest


def _is_import_of(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.Import) and [each.name for each in node.names] == [name]


def _is_decorated(node: ast.FunctionDef, word: str) -> bool:
    return any(word in ast.unparse(each) for each in node.decorator_list)
