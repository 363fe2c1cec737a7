"""Nothing that a guest says is unpickled or evaluated by the host."""

import ast
from pathlib import Path

from tests.repository.syntax_trees import tree

ROOT = Path(__file__).parents[2]
HOST = ("app", "worker", "analyzers")
NOT_HOST = (
    ROOT / "analyzers" / "guest",
    ROOT / "worker" / "demo" / "application",
)
MODULES = {
    *("pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"),
    *("jsonpickle", "dbm", "code", "codeop"),
}
CALLS = {"eval", "exec", "__import__"}
LOADERS = {("numpy", "load"), ("np", "load"), ("torch", "load"), ("yaml", "load")}


def told(path: Path) -> list[str]:
    """What a file imports or calls that could run what it reads."""
    found = []
    for node in ast.walk(tree(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name.split(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found += [node.module] if (node.module or "").split(".")[0] in MODULES else []
        elif isinstance(node, ast.Call):
            found += filter(None, [called(node.func)])
    return [f"{path}: {what}" for what in found]


def called(function: ast.expr) -> str | None:
    if isinstance(function, ast.Name) and function.id in CALLS:
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        name = (function.value.id, function.attr)
        return ".".join(name) if name in LOADERS else None
    return None


def test_host_unpickles_and_evaluates_nothing():
    files = [
        path
        for folder in HOST
        for path in (ROOT / folder).rglob("*.py")
        if not any(path.is_relative_to(folder) for folder in NOT_HOST)
    ]
    assert len(files) > 100
    assert [what for path in files for what in told(path)] == []


def test_every_way_is_noticed(tmp_path):
    ways = ["import pickle", "from marshal import loads", "eval('1')", "import dill.source as d"]
    ways += ["numpy.load('x')", "exec(frame)"]
    for number, way in enumerate(ways):
        file = tmp_path / f"{number}.py"
        file.write_text(way)
        assert told(file), way
