"""``python -m benchmarks.properties.rivals``: valid inputs a second, side by side in one run.

The fixed versions of small annotated functions are run on valid inputs

- in the warm guest, in the sandbox (``Session.explore``),
- by plain Hypothesis in one process: the template of the same annotations,
- by Pynguin from the package index, in a virtual environment of its own under
  a temporary folder (``--pynguin FOLDER`` uses one that is there).  It knows no
  annotations: its calls are counted inside the function, and those that return
  are taken for valid, which flatters it.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Mapping
from pathlib import Path

from analyzers.guest.annotations.annotation_reader import read
from analyzers.guest.annotations.syntax import render
from analyzers.vocabulary import Reason, Target
from analyzers.vocabulary.contracts import Contract, ExplorationRequest
from benchmarks.properties.cases import Case, cases
from benchmarks.properties.conciseness import program
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import guest_runtime
from worker.executor.session import Session
from worker.settings.operator_settings import Settings

FUNCTIONS = ("crossed_einsum", "inverted_mask", "last_bigram", "top_five")
EXAMPLES = 1000
SEARCH_SECONDS = 20
COUNTING = """
import os

_FILE = os.open({path!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def called():
    os.write(_FILE, b"c")


def returned(value):
    os.write(_FILE, b"r")
    return value
"""


def in_guest(case: Case, folder: Path) -> dict[str, float]:
    """Executions a second of the guest: a first exploration warms it, the second counts."""
    root = _written(case, folder)
    target = Target(case.path, case.function, 1, 1, Reason.CHANGED, (), (), (case.path,))
    exploring = ExplorationRequest(_contract(case), examples=EXAMPLES, seconds=30.0)
    place = guest_runtime(Settings(), trust=False)
    with Session(
        place, root, target, Broker(Engines(()), Recordings(None), ApiBudget(0))
    ) as session:
        session.explore(exploring)
        began = time.perf_counter()
        explored, _ = session.explore(exploring)
        seconds = time.perf_counter() - began
    if explored.obstacle or explored.failures:
        raise RuntimeError(f"{case.name}: {explored.obstacle or explored.failures[0].run.ending}")
    return {"inputs": explored.passed, "a_second": round(explored.passed / seconds)}


def _contract(case: Case) -> Contract:
    said = read(case.sources("fixed")[case.path]).functions[case.function]
    return Contract(
        {arg.name: render(arg.constraint) for arg in said.args},
        tuple(clause.source for clause in said.requires),
        tuple(clause.source for clause in said.ensures),
    )


def _written(case: Case, folder: Path, change: Mapping[str, str] | None = None) -> Path:
    root = folder / case.name
    for path, text in {**case.sources("fixed"), **(change or {})}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def by_hypothesis(case: Case, folder: Path) -> dict[str, float]:
    """Examples a second of plain Hypothesis, imports not counted, after a first round."""
    root = _written(case, folder)
    test = program(case, EXAMPLES)
    body, called = test.rstrip().rsplit("\n", 1)
    timed = f"import time\n{called}\nbegan = time.perf_counter()\n{called}\n"
    text = f"{body}\n{timed}print(time.perf_counter() - began)\n"
    (root / "program.py").write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "program.py"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = float(done.stdout.splitlines()[-1])
    return {"inputs": EXAMPLES, "a_second": round(EXAMPLES / seconds)}


def by_pynguin(case: Case, folder: Path, environment: Path) -> dict[str, float | str]:
    """Calls a second that Pynguin makes of the module's functions, and those that return."""
    counts = folder / f"{case.name}.counts"
    change = {
        case.path: _counting(case.sources("fixed")[case.path], case.function),
        "counting.py": COUNTING.format(path=str(counts)),
    }
    root = _written(case, folder / "pynguin", change)
    counts.unlink(missing_ok=True)
    words = ["--project-path", str(root), "--output-path", str(folder / "tests")]
    words += ["--module-name", case.path.removesuffix(".py").replace("/", ".")]
    words += ["--maximum-search-time", str(SEARCH_SECONDS), "--seed", "0", "--no-rich"]
    words += ["--assertion-generation", "NONE"]
    done = subprocess.run(
        [str(environment / "bin" / "pynguin"), *words],
        env={**os.environ, "PYNGUIN_DANGER_AWARE": "1"},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=SEARCH_SECONDS * 10 + 120,
        check=False,
    )
    told = counts.read_bytes() if counts.is_file() else b""
    if not told:
        last = (done.stderr + done.stdout).strip().splitlines() or ["?"]
        return {"calls": 0, "a_second": 0, "why": last[-1][:200]}
    returned = told.count(b"r")
    return {
        "calls": told.count(b"c"),
        "returned": returned,
        "a_second": round(returned / SEARCH_SECONDS, 1),
    }


def _counting(source: str, function: str) -> str:
    """The source, in which a function counts its calls and its returns."""
    tree = ast.parse(source)
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    _Returns().visit(node)
    node.body.insert(bool(ast.get_docstring(node)), ast.parse("counting.called()").body[0])
    place = next(
        n for n, each in enumerate(tree.body) if isinstance(each, (ast.Import, ast.FunctionDef))
    )
    tree.body.insert(place, ast.parse("import counting").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


class _Returns(ast.NodeTransformer):
    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = ast.unparse(node.value) if node.value else "None"
        made = ast.parse(f"counting.returned({value})", mode="eval").body
        return ast.Return(made)


def pynguin(folder: Path) -> tuple[Path, str]:
    """An environment with Pynguin, which also sees our torch; and its version."""
    venv.create(folder, with_pip=True, clear=True)
    subprocess.run(
        [str(folder / "bin" / "pip"), "install", "-q", "pynguin"], check=True, capture_output=True
    )
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (version,) = site.glob("pynguin-*.dist-info")
    return folder, version.name.removesuffix(".dist-info")


def main() -> None:
    """Print a row of the table for each function."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.properties.rivals")
    arguments.add_argument("--pynguin", type=Path, metavar="FOLDER", help="an environment with it")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        environment, version = _environment(folder, asked.pynguin)
        print(f"| function | guest | Hypothesis | {version} | guest / Hypothesis |")
        print("|---|---|---|---|---|", flush=True)
        for case in cases(FUNCTIONS):
            ours = in_guest(case, folder / "guest")
            theirs = by_hypothesis(case, folder / "hypothesis")
            others = by_pynguin(case, folder, environment) if environment else {}
            print(_row(case.name, ours, theirs, others), flush=True)


def _row(
    name: str,
    ours: Mapping[str, float],
    theirs: Mapping[str, float],
    others: Mapping[str, float | str],
) -> str:
    ratio = ours["a_second"] / theirs["a_second"]
    said = f"{others['a_second']} ({others['calls']} calls)" if others else "not installed"
    why = f": {others['why']}" if "why" in others else ""
    return f"| {name} | {ours['a_second']} | {theirs['a_second']} | {said}{why} | {ratio:.2f} |"


def _environment(folder: Path, given: Path | None) -> tuple[Path | None, str]:
    if given is not None:
        return given, "pynguin"
    try:
        return pynguin(folder / "pynguin-environment")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Pynguin cannot be installed: {error}", file=sys.stderr)
        return None, "pynguin"


if __name__ == "__main__":
    main()
