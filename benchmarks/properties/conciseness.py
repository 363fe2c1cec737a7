"""``python -m benchmarks.properties.conciseness [--show NAME] [--run]``: aN against Hypothesis.

Counts, for every annotated function of the zoo, the lines of its annotations
and the non-blank lines of the Hypothesis test that they stand for (imports and
helpers are not counted), and prints the ratios; the paper has a median of 5.5.
``--run`` runs those tests by plain Hypothesis on both versions: what the same
annotations find without us, and a check that they are right.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.properties.cases import Case, cases
from benchmarks.properties.templates import IMPORTS, annotation_lines, template

PAPER = 5.5
HELPERS = """
def finite(value):
    plain = value.detach() if hasattr(value, "detach") else value
    return bool(np.isfinite(np.asarray(plain)).all())


def same(left, right):
    return bool(np.array_equal(np.asarray(left), np.asarray(right)))


def matches(result, text):
    return True
"""
"""Words of aN that a developer would write once for all tests."""


NO_DECORATORS = """
import importlib.util, sys, types
if importlib.util.find_spec("assayer_annotations") is None:
    words = types.ModuleType("assayer_annotations")
    def say(*given, **_):
        bare = given and isinstance(given[0], types.FunctionType) and len(given) == 1
        return given[0] if bare and given[0].__name__ != "<lambda>" else lambda function: function
    for word in "arg ensure require returns tensors ints np_arrays modules".split():
        setattr(words, word, say)
    sys.modules["assayer_annotations"] = words
"""
"""Decorators that do nothing, where their package is not installed."""


def lines_of(text: str) -> int:
    """Non-blank lines."""
    return sum(bool(line.strip()) for line in text.splitlines())


def ratios(chosen: Sequence[Case]) -> dict[str, tuple[int, int]]:
    """Lines of annotations and lines of the template, by case."""
    return {case.name: (annotation_lines(case), lines_of(template(case))) for case in chosen}


def program(case: Case, examples: int) -> str:
    """A script that runs a template, in the folder of a project; its last line runs the test."""
    name = case.path.removesuffix(".py").replace("/", ".")
    test = template(case, examples)
    called = test.partition("def ")[2].partition("(")[0]
    jax = "import jax.numpy as jnp\n" if "jnp." in test else ""
    begin = f"{NO_DECORATORS}\n{IMPORTS}{jax}\nfrom {name} import *\n"
    return f"{begin}{HELPERS}\n{test}\n{called}()\n"


def ended(case: Case, variant: str, examples: int = 300) -> str:
    """How a template ends on a variant: ``passed``, or the last line of what it says."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in case.sources(variant).items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text, "utf-8")
        (Path(folder) / "program.py").write_text(program(case, examples), "utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "program.py"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    if not done.returncode:
        return "passed"
    told = [
        line
        for line in done.stderr.splitlines()
        if line.startswith(("Falsif", "hypoth")) or "Error" in line
    ]
    return (told or done.stderr.splitlines() or ["?"])[-1][:150]


def run(chosen: Sequence[Case]) -> int:
    """Run the templates on both versions; how many cases are not as they should be."""
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        told = pool.map(lambda case: (ended(case, "buggy"), ended(case, "fixed")), chosen)
        for case, (buggy, fixed) in zip(chosen, told, strict=True):
            if buggy == "passed" or fixed != "passed":
                wrong += 1
                print(f"{case.name}: buggy: {buggy}; fixed: {fixed}", flush=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} fail in buggy and pass in fixed")
    return wrong


def main() -> int:
    """Print the table."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.properties.conciseness")
    arguments.add_argument("--show", metavar="NAME", help="print one template")
    arguments.add_argument("--run", nargs="*", metavar="NAME", help="run the templates")
    asked = arguments.parse_args()
    if asked.show:
        print(template(next(cases([asked.show]))))
        return 0
    chosen = [c for c in cases(asked.run or ()) if c.annotated and "<" not in c.function[:1]]
    if asked.run is not None:
        return 1 if run(chosen) else 0
    print("| function | lines of aN | lines of Hypothesis | ratio |\n|---|---|---|---|")
    counted = ratios(chosen)
    for name, (ours, theirs) in counted.items():
        print(f"| {name} | {ours} | {theirs} | {theirs / ours:.1f} |")
    shares = [theirs / ours for ours, theirs in counted.values()]
    print(
        f"\n{len(shares)} functions: median ratio {statistics.median(shares):.1f},"
        f" mean {statistics.fmean(shares):.1f} (paper: median {PAPER})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
