"""How many functions that change a text can be made to ask about a wanted one.

``python -m benchmarks.inversion`` passes 20 texts to every function of
``inversion_suite`` in the sandbox: as they are (the baseline), and as the
learned inverse passes them.  A function counts where every text was asked
about in the run that it was passed to.
"""

from __future__ import annotations

import ast
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from analyzers import catalogue
from analyzers.cloud.api_answers import sample_script
from analyzers.cloud.inversion import Inverter
from analyzers.cloud.inversion.inverse_search import text_similarity, texts_of
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import (
    ApiCall,
    Form,
    Input,
    InputArgument,
    InputKind,
    Origin,
    Probe,
    Reason,
    Run,
    Target,
)
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import ExecutionContext, SourceTree, guest_runtime
from worker.executor.sandbox_executor import SandboxExecutor
from worker.settings.operator_settings import Settings
from worker.sources.source_selection import Sources

SUITE = Path(__file__).parent / "inversion_suite" / "texts.py"
API = "google.language.analyze_sentiment"
WANTED_SHARE, WANTED_SECONDS = 0.9, 0.5
SUBJECTS = ("The room", "Our guide", "That old bridge", "My second phone", "Her soup")
OPINIONS = ("was lovely and warm", "let all of us down", "cost 20 and broke", "makes me smile")


def main() -> int:
    """Print a line a function and the shares; 1 where they are not those wanted."""
    rows = list(_measured())
    for name, plain, inverted, seconds in rows:
        print(f"{name:24} {plain:>8} {inverted:>8} {seconds:8.2f}")
    total = len(rows)
    plain, inverted = (sum(row[column] == "all" for row in rows) for column in (1, 2))
    seconds = [row[3] for row in rows]
    print(
        f"{total} functions: as they are {plain} ({plain / total:.0%}), inverted {inverted} "
        f"({inverted / total:.0%}); median {statistics.median(seconds):.2f} s, "
        f"longest {max(seconds):.2f} s"
    )
    return int(inverted < WANTED_SHARE * total or statistics.median(seconds) > WANTED_SECONDS)


def _measured() -> Iterator[tuple[str, str, str, float]]:
    source = SUITE.read_text("utf-8")
    head = source.partition("\n\n\n# ---")[0]
    functions = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    chosen = [f for f in functions if f.name != "ask" and f.name in (sys.argv[1:] or [f.name])]
    for function in chosen:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "project")
            root.mkdir()
            text = f"{head}\n\n\n{ast.get_source_segment(source, function)}\n"
            (root / "texts.py").write_text(text)
            yield _one(SourceTree(root, {"texts.py": text}), function)


def _one(tree: SourceTree, function: ast.FunctionDef) -> tuple[str, str, str, float]:
    items = [_text(f"{subject} {opinion}") for subject in SUBJECTS for opinion in OPINIONS]
    target = Target(
        "texts.py",
        function.name,
        function.lineno,
        function.end_lineno or function.lineno,
        Reason.CHANGED,
        (ApiCall(API, "texts.py", function.name, function.lineno),),
        (),
        ("texts.py",),
    )
    script = sample_script([catalogue.load_catalogue()[API]]) or ()
    (parameter,) = function.args.args
    template = Probe(target.id, {parameter.arg: InputArgument(Form.TEXT)})
    bench = SandboxExecutor(_laboratory(tree), target, time.monotonic() + 60)
    try:
        plain = bench.run([template.with_input(item).answered(script) for item in items])
        started = time.perf_counter()
        passed = Inverter(target, bench, script).passed(API, template, items)
        seconds = time.perf_counter() - started
        runs = bench.run([template.with_input(item).answered(script) for item in passed.inputs])
    finally:
        bench.close()
    texts = [item.content.decode() for item in items]
    meant = [text or "" for text in passed.meant]
    return function.name, _share(texts, plain), _share(meant, runs, len(items)), seconds


def _share(texts: Sequence[str], runs: Sequence[Run], total: int = 0) -> str:
    asked = [
        text_similarity(t, texts_of(API, run)) for t, run in zip(texts, runs, strict=True) if t
    ]
    found = sum(each is not None for each in asked)
    total = total or len(texts)
    return "all" if found == total else f"{found}/{total}"


def _text(text: str) -> Input:
    return Input(InputKind.TEXT, text.encode(), "a text", None, ".txt", Origin("written"))


def _laboratory(tree: SourceTree) -> ExecutionContext:
    broker = Broker(Engines(()), Recordings(None), ApiBudget(0))
    place = guest_runtime(Settings(), trust=False)
    return ExecutionContext(place, broker, Sources(None, ""), ExaminationPlan(), tree, tree)


if __name__ == "__main__":
    sys.exit(main())
