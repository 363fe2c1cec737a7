"""Seeded faults in pull requests: ``python -m benchmarks.relations.seeded.seeded_pulls``.

For every fifth fault a small project is made whose head adds a function that
calls the API, of tensors with the dtypes and shapes of the fault's witness;
a vendored module puts the wrong kernel in its place.  ``assayer check --only
relations`` has to report the call; on the right kernel (``--clean``) nothing.
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
from benchmarks.relations.seeded import kernel_changes, kernel_faults, kernel_patching
from benchmarks.relations.seeded.kernel_faults import FAULTS, Fault, half_of

_BEFORE = "import torch\n"
_WRONG = """from vendor.seeded.faults import FAULTS
from vendor.seeded.seeding import Seeded

seeded = Seeded(next(fault for fault in FAULTS if fault.api == {api!r}))
switch = seeded.on()
switch.__enter__()
"""
_SECONDS = 300


def main() -> None:
    """Print a line a pull request, then how many were reported."""
    asked = _arguments()
    chosen = [fault for fault in FAULTS[:: asked.every] if asked.half in ("all", half_of(fault))]
    began, found = time.monotonic(), 0
    for fault in chosen:
        started = time.monotonic()
        told = _reported(fault, is_clean=asked.clean)
        found += bool(told)
        words = ", ".join(told) or ("silent" if asked.clean else "MISSED")
        took = time.monotonic() - started
        print(
            f"{half_of(fault):8} {fault.api:34} {fault.kind:20} {took:4.0f} s  {words}", flush=True
        )
    seconds = round(time.monotonic() - began, 1)
    print(json.dumps({"pulls": len(chosen), "reported": found, "seconds": seconds}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relations.seeded.seeded_pulls")
    parser.add_argument("--every", type=int, default=5, help="one of so many faults")
    parser.add_argument("--half", choices=("all", "seen", "held-out"), default="all")
    parser.add_argument("--clean", action="store_true", help="with the right kernels")
    return parser.parse_args()


def _reported(fault: Fault, *, is_clean: bool) -> list[str]:
    """What the check says of the API: rule, relation and what it is related to."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "project"
        _project(tree, fault, is_clean=is_clean)
        told = Path(folder) / "report.json"
        command = [str(Path(sys.executable).parent / "assayer"), "check", str(tree)]
        options = ["--base", "main", "--head", "added", "--only", "relations", "--inputs", "2"]
        options += ["--offline", "--format", "json", "--output", str(told), "--quiet"]
        options += ["--artifacts", str(Path(folder) / "artifacts")]
        ended = subprocess.run(
            [*command, *options], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        if not told.exists():
            return [f"no report: {ended.stderr[-300:]}"]
        report = json.loads(told.read_text())
    for each in (*report["broken"], *report["skipped"]):
        print("   ", json.dumps(each)[:300], file=sys.stderr)
    return [_told(each) for each in report["findings"] if each["rule"].startswith("relation/")]


def _told(finding: dict[str, Any]) -> str:
    evidence = finding["evidence"]
    return f"{finding['rule']} ({evidence['relation']})"


def _project(tree: Path, fault: Fault, *, is_clean: bool) -> None:
    tree.mkdir()
    (tree / "steps.py").write_text(_BEFORE)
    place = tree / "vendor" / "seeded"
    place.mkdir(parents=True)
    for module in (kernel_changes, kernel_faults, kernel_patching):
        path = Path(str(module.__file__))
        text = path.read_text().replace("benchmarks.relations.seeded", "vendor.seeded")
        (place / path.name).write_text(text)
    (place / "wrong.py").write_text("" if is_clean else _WRONG.format(api=fault.api))
    _git(tree, "init", "--quiet", "--initial-branch", "main")
    _commit(tree, "before")
    _git(tree, "checkout", "--quiet", "-b", "added")
    (tree / "steps.py").write_text(_BEFORE + "import vendor.seeded.wrong\n" + _function(fault))
    _commit(tree, "added")


def _function(fault: Fault) -> str:
    """A function of tensors of the dtypes and shapes that the fault's witness has."""
    call = ast.parse(fault.witness, mode="eval").body
    assert isinstance(call, ast.Call)
    live = live_call(parse_call(fault.witness, library("torch")), library("torch"))
    declared, names = [], []
    for number, value in enumerate(live.arguments):
        if isinstance(value, torch.Tensor):
            name = "abc"[len(names)]
            names.append(name)
            shape = tuple(value.shape)
            dtype = str(value.dtype).rpartition(".")[2]
            declared.append(f'#@arg({name}): tensors(dtype="{dtype}", shape={shape})')
            call.args[number] = ast.Name(name)
    body = f"def step({', '.join(names)}):\n    return {ast.unparse(call)}\n"
    return "\n\n" + "\n".join([*declared, body])


def _commit(tree: Path, message: str) -> None:
    _git(tree, "add", "--all")
    _git(tree, "commit", "--quiet", "--message", message)


def _git(tree: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    git = shutil.which("git") or "git"
    subprocess.run([git, *who, *words], cwd=tree, check=True, capture_output=True)


if __name__ == "__main__":
    main()
