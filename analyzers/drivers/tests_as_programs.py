"""Tests of a project as programs: fixtures and parameters become assignments."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from posixpath import dirname, join

from analyzers.inference.facts import parse_module

KNOWN_FIXTURES = {
    "device": "'cpu'",
    "dtype": "__import__('torch').float32",
    "rng": "__import__('numpy').random.default_rng(0)",
}
MOST_LISTED, MOST_INHERITED, MOST_DEPTH = 8, 80, 2
Tables = Mapping[str, Mapping[int, str]]
"""Constants that list cases, by name: at each known place the source of the case."""
_DEVICE = re.compile(r"([A-Z]+_)*DEVICE")
_SETUPS = {"setUp": "self.setUp()", "setup_method": "self.setup_method(None)"}


@dataclass(frozen=True, slots=True)
class TestProgram:
    """A test as a program; its first ``fixed`` statements stand before the test.

    ``uses`` is the source of the case that it takes from a table, ``path`` the file that it is in.
    """

    __test__ = False

    line: int
    source: str
    fixed: int
    uses: str = ""
    path: str = ""


def tables(texts: Mapping[str, str], words: Collection[str]) -> Tables:
    """Return the constants that list something with one of some names, in any capitals.

    Registries and the cases of tests hide their uses behind such a name.
    """
    found: dict[str, dict[int, str]] = {}
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b", re.IGNORECASE)
    for path, text in texts.items():
        tree = parse_module(text) if path.endswith(".py") and wanted.search(text) else None
        for node in tree.body if tree is not None else ():
            if not isinstance(node, ast.Assign | ast.AnnAssign):
                continue
            value = node.value
            cases = map(ast.unparse, value.elts if isinstance(value, ast.List | ast.Tuple) else ())
            places = {number: case for number, case in enumerate(cases) if wanted.search(case)}
            name = ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
            if places and name.isidentifier() and not name.startswith("__"):
                found.setdefault(name, places)
    return found


def test_programs(
    path: str, texts: Mapping[str, str], listed: Tables, words: Collection[str]
) -> Iterator[TestProgram]:
    """Yield the tests of a file.

    Of its parameters a test takes the first and the last, those of the known places of tables
    (:func:`tables`, ``listed``), and those that have a part of one of some ``words``.
    Fixtures of ``conftest.py`` are known where they need no more than their file imports.
    """
    tree = parse_module(texts[path])
    if tree is None:
        return
    first, fixtures = list[ast.stmt](), dict[str, ast.FunctionDef]()
    for each in _conftests(path, texts):
        conftest = parse_module(texts[each]) or ast.Module([], [])
        fixtures |= _fixtures(conftest.body)
        imports = [e for e in conftest.body if isinstance(e, ast.Import | ast.ImportFrom)]
        first += _importable(imports, each, texts)
    inherited = list(islice(_inherited_tests(tree, path, texts), MOST_INHERITED))
    tests = [*((owner, node, path) for owner, node in _tests(tree)), *inherited]
    owners = {owner.name: owner for owner, *_ in tests if owner is not None}
    bases = {name: [e for _, e in _bases(owner, path, texts)] for name, owner in owners.items()}
    suites = {name: e for name, e in owners.items() if not _is_abstract([e, *bases[name]])}
    tests = [each for each in tests if each[0] is None or each[0].name in suites]
    parts = {part for word in words for part in word.lower().split("_") if len(part) > 3}
    needs = {name for _, node, _ in tests for name in _asked(node)}
    first = first if needs & fixtures.keys() else []
    fixtures |= _fixtures(tree.body)
    own = [each for each in tree.body if _is_shared(each, fixtures) and not _is_one(each, suites)]
    first += _importable(own, path, texts)
    others = {home: _shared_by(home, texts) for home in {home for *_, home in tests} - {path}}
    bound = (name for each in first for node in ast.walk(each) for name in _bound_by(node))
    devices = {name for name in bound if _DEVICE.fullmatch(name)}
    first += ast.parse("\n".join(f"{name} = 'cpu'" for name in sorted(devices))).body
    shared = [_SharedStatement.of(_without_marks(each)) for each in first]
    for owner, node, home in tests:
        for uses, body in _bodies(owner, node, fixtures, _rows(node, owner, listed, parts)):
            suite = [] if owner is None else _suite(owner, suites, body)
            started = [] if owner is None or not suite else _started(owner, bases[owner.name])
            own_statements = [*suite, *started, *body]
            before = _needed([*others.get(home, ()), *shared], own_statements)
            source = "\n".join([*before, ast.unparse(ast.Module(own_statements, []))])
            yield TestProgram(node.lineno, source, len(before) + len(suite), uses, home)


@dataclass(frozen=True, slots=True)
class _SharedStatement:
    """A statement that stands before tests: its text, the names that it binds, and those it reads.

    One that binds none is there for what it does.
    """

    text: str
    bound: frozenset[str]
    read: frozenset[str]

    @classmethod
    def of(cls, node: ast.stmt) -> _SharedStatement:
        defined = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        nodes = [node] if defined else ast.walk(node)
        bound = frozenset(name for each in nodes for name in _bound_by(each))
        return cls(ast.unparse(node), bound, frozenset(_read_by([node])))


def _needed(shared: Sequence[_SharedStatement], body: Sequence[ast.stmt]) -> list[str]:
    """Return the statements that a test needs, those that it needs through others too."""
    read = {*_read_by(body)}
    kept: set[int] = set()
    while True:
        more = {
            number
            for number, each in enumerate(shared)
            if number not in kept and (not each.bound or "*" in each.bound or each.bound & read)
        }
        if not more:
            return [each.text for number, each in enumerate(shared) if number in kept]
        kept |= more
        read |= {name for number in more for name in shared[number].read}


def _read_by(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in (each for statement in body for each in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def _fixtures(body: Sequence[ast.stmt]) -> dict[str, ast.FunctionDef]:
    functions = (node for node in body if isinstance(node, ast.FunctionDef))
    return {node.name: node for node in functions if _is_decorated(node, "fixture")}


def _asked(node: ast.FunctionDef) -> list[str]:
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return [each.arg for each in given if each.arg != "self"]


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


def _bound_by(node: ast.AST) -> list[str]:
    """Return the names that a node binds by itself."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [each.asname or each.name.split(".")[0] for each in node.names]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


def _tests(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name.startswith("test"):
                    yield node, each


def _inherited_tests(
    tree: ast.Module, path: str, texts: Mapping[str, str]
) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef, str]]:
    """Yield the tests that classes of a file have from their bases, with the files of these."""
    for owner in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        known = {getattr(each, "name", "") for each in owner.body}
        for home, base in _bases(owner, path, texts):
            for each in base.body:
                is_test = isinstance(each, ast.FunctionDef) and each.name.startswith("test")
                if isinstance(each, ast.FunctionDef) and is_test and each.name not in known:
                    known.add(each.name)
                    yield owner, each, home


def _is_abstract(classes: Sequence[ast.ClassDef]) -> bool:
    """Return whether a class, the first of those that it has methods from, has no instances."""
    known: set[str] = set()
    for method in (e for each in classes for e in each.body if isinstance(e, ast.FunctionDef)):
        if method.name not in known and _is_decorated(method, "abstract"):
            return True
        known.add(method.name)
    return False


def _bases(
    owner: ast.ClassDef, path: str, texts: Mapping[str, str], depth: int = 0
) -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the project's classes that a class of a file inherits from, with their files."""
    tree = parse_module(texts[path]) or ast.Module([], [])
    for name in (each.id for each in owner.bases if isinstance(each, ast.Name)):
        for home in (path, *_homes(name, tree, path, texts)):
            nodes = (parse_module(texts[home]) or ast.Module([], [])).body
            found = (e for e in nodes if isinstance(e, ast.ClassDef) and e.name == name)
            for base in (each for each in found if each is not owner):
                yield home, base
                if depth < MOST_DEPTH:
                    yield from _bases(base, home, texts, depth + 1)


def _homes(name: str, tree: ast.Module, path: str, texts: Mapping[str, str]) -> list[str]:
    """Return the files of the project that a file takes a name from."""
    found: list[str] = []
    for node in (each for each in tree.body if isinstance(each, ast.ImportFrom)):
        if name in (each.name for each in node.names):
            above = path.split("/")[: -node.level] if node.level else []
            place = "/".join([*above, *(node.module or "").split(".")]).strip("/")
            near = join(dirname(path), place)
            found += [f"{place}.py", f"src/{place}.py", f"{near}.py", f"{place}/__init__.py"]
    return [each for each in dict.fromkeys(found) if each in texts]


def _shared_by(path: str, texts: Mapping[str, str]) -> list[_SharedStatement]:
    """Return what stands before the classes of another file."""
    tree = parse_module(texts[path]) or ast.Module([], [])
    own = [e for e in tree.body if _is_shared(e, {}) and not isinstance(e, ast.ClassDef)]
    return [_SharedStatement.of(_without_marks(each)) for each in _importable(own, path, texts)]


def _is_shared(node: ast.stmt, fixtures: Mapping[str, ast.FunctionDef]) -> bool:
    """Return whether a statement of a file of tests stands before each of its tests."""
    if isinstance(node, ast.FunctionDef):
        return not node.name.startswith("test") and node.name not in fixtures
    if isinstance(node, ast.If):
        return "__main__" not in ast.unparse(node.test)
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_one(node: ast.stmt, suites: Mapping[str, ast.ClassDef]) -> bool:
    return isinstance(node, ast.ClassDef) and node.name in suites


class _Unmarked(ast.NodeTransformer):
    """Takes away what decorates definitions for pytest."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        kept = [each for each in node.decorator_list if "pytest" not in ast.unparse(each)]
        made = ast.FunctionDef(node.name, node.args, node.body, kept, node.returns)
        return ast.copy_location(made, node)


def _without_marks(node: ast.stmt) -> ast.stmt:
    if "pytest" not in ast.unparse(node):
        return node
    copy = ast.parse(ast.unparse(node))
    _Unmarked().visit(copy)
    return copy.body[0]


def _suite(
    owner: ast.ClassDef, suites: Mapping[str, ast.ClassDef], body: Sequence[ast.stmt]
) -> list[ast.stmt]:
    """Return a class of tests without them, after those that it inherits from.

    There is none where a test neither names it or itself nor needs a set-up.
    """
    classes: list[ast.ClassDef] = []
    waiting = [owner]
    while waiting:
        each = waiting.pop()
        classes = [each, *(other for other in classes if other is not each)]
        waiting += [suites[b.id] for b in each.bases if isinstance(b, ast.Name) and b.id in suites]
    made = [_without_tests(each) for each in classes]
    named = {n.id for each in body for n in ast.walk(each) if isinstance(n, ast.Name)}
    methods = {e.name for each in made for e in each.body if isinstance(e, ast.FunctionDef)}
    return list(made) if named & {"self", owner.name} or methods & _SETUPS.keys() else []


def _without_tests(owner: ast.ClassDef) -> ast.ClassDef:
    fixtures = _fixtures(owner.body)
    kept = [_without_marks(each) for each in owner.body if _is_shared(each, fixtures)]
    return ast.ClassDef(owner.name, owner.bases, owner.keywords, kept or [ast.Pass()], [])


def _started(owner: ast.ClassDef, bases: Sequence[ast.ClassDef]) -> list[ast.stmt]:
    bodies = (each.body for each in (owner, *bases))
    methods = {e.name for body in bodies for e in body if isinstance(e, ast.FunctionDef)}
    setups = (call for each, call in _SETUPS.items() if each in methods)
    return ast.parse("\n".join([f"self = {owner.name}()", *setups])).body


def _bodies(
    owner: ast.ClassDef | None,
    node: ast.FunctionDef,
    fixtures: Mapping[str, ast.FunctionDef],
    rows: Mapping[str, Sequence[tuple[str, str]]],
) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield a test's statements for its first and last parameters and those of known cases."""
    own = _fixtures(owner.body) if owner is not None else {}
    automatic = [name for name, each in own.items() if _is_decorated(each, "autouse=True")]
    last = max(map(len, rows.values()), default=1) - 1
    known = {n for values in rows.values() for n, (_, uses) in enumerate(values) if uses}
    for row in sorted({0, last, *sorted(known)[:MOST_LISTED]}):
        chosen = {name: each[min(row, len(each) - 1)] for name, each in rows.items() if each}
        given = {name: value for name, (value, _) in chosen.items()}
        bound = _arguments(node, given, {**fixtures, **own}, automatic)
        if bound is not None:
            uses = " ".join(uses for _, uses in chosen.values())
            yield uses, [*bound, *_observed_body(node.body)]


def _arguments(
    node: ast.FunctionDef,
    given: Mapping[str, str],
    fixtures: Mapping[str, ast.FunctionDef],
    automatic: Sequence[str],
) -> list[ast.stmt] | None:
    """Return assignments to the parameters of a test; ``None`` where one has no known value."""
    found: list[ast.stmt] = []
    names = _asked(node)
    defaults = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
    for name in [*automatic, *(each for each in names if each not in automatic)]:
        if name in given:
            found += ast.parse(f"{name} = {given[name]}").body
        elif name in defaults:
            found += ast.parse(f"{name} = {ast.unparse(defaults[name])}").body
        else:
            made = _fixture(name, fixtures) if name in fixtures else None
            if made is None and name not in KNOWN_FIXTURES:
                return None
            known = f"{name} = {KNOWN_FIXTURES.get(name)}"
            found += ast.parse(known).body if made is None else made
    return found


def _fixture(
    name: str, fixtures: Mapping[str, ast.FunctionDef], depth: int = 0
) -> list[ast.stmt] | None:
    """Return the statements of a fixture, up to where it returns or yields a value.

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
    return [*found, *node.body]


def _given(node: ast.FunctionDef) -> str | None:
    """Return the first of a fixture's parameters, as source."""
    calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
    values = (e.value for call in calls for e in call.keywords if e.arg == "params")
    rows = (value.elts for value in values if isinstance(value, ast.List | ast.Tuple))
    first = next((row[0] for row in rows if row), None)
    return None if first is None else f"({_row(first, 1)[0]})"


def _rows(
    node: ast.FunctionDef, owner: ast.ClassDef | None, listed: Tables, parts: Collection[str]
) -> dict[str, list[tuple[str, str]]]:
    """Return the values of parametrised names, as source, each with the known case that it is."""
    found: dict[str, list[tuple[str, str]]] = {}
    for each in [*node.decorator_list, *(owner.decorator_list if owner else ())]:
        if not isinstance(each, ast.Call) or len(each.args) < 2:
            continue
        loads = any(keyword.arg == "indirect" for keyword in each.keywords)
        if loads or not ast.unparse(each.func).endswith("parametrize"):
            continue
        named, values = each.args[:2]
        names = _names(named)
        cases = dict(islice(listed.get(ast.unparse(values), {}).items(), MOST_LISTED))
        if isinstance(values, ast.List | ast.Tuple):
            rows = [(_row(row, len(names)), _used_by(row, parts)) for row in values.elts]
        else:
            whole = f"list({ast.unparse(values)})"
            ends = [(f"{whole}[{n}]", uses) for n, uses in (cases or {0: ""}).items()]
            rows = [
                ([end] if len(names) == 1 else [f"{end}[{i}]" for i in range(len(names))], uses)
                for end, uses in [*ends, (f"{whole}[-1]", "")]
            ]
        for place, name in enumerate(names):
            found[name] = [(row[place], uses) for row, uses in rows if place < len(row)]
    return found


def _used_by(row: ast.expr, parts: Collection[str]) -> str:
    """Return the source of a row of parameters that has one of some parts of names."""
    text = ast.unparse(row)
    return "" if set(re.findall(r"[a-z]+", text.lower())).isdisjoint(parts) else text


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


_RAISED = (
    "try:\n    pass\nexcept Exception as error:\n    raised = type(error).__name__\n"
    "else:\n    raised = ''"
)


class _AtTop(ast.NodeTransformer):
    """Has functions within a test, whose names become the program's, find these."""

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.Global:
        return ast.Global(node.names)


class _Plain(ast.NodeTransformer):
    """Says in plain Python what only pytest means."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        _AtTop().visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        near = ast.unparse(node.func) in ("approx", "pytest.approx") and node.args
        return node.args[0] if near else node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.Pass() if node.value is None else ast.Expr(node.value)

    def visit_With(self, node: ast.With) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        called = {ast.unparse(each.context_expr).split("(")[0] for each in node.items}
        if called & {"pytest.raises", "raises"}:
            made = ast.parse(_RAISED).body[0]
            assert isinstance(made, ast.Try)
            made.body = node.body
            return made
        return node.body if called & {"pytest.warns", "pytest.deprecated_call"} else node


def _observed_body(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    copy = ast.parse("\n".join(ast.unparse(each) for each in body))
    _Plain().visit(copy)
    return copy.body


def _is_decorated(node: ast.FunctionDef, word: str) -> bool:
    return any(word in ast.unparse(each) for each in node.decorator_list)
