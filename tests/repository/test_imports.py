"""The import contracts hold, and would notice a breach."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("app", "worker", "analyzers")

BREACHES = {
    "worker/breach.py": ("import app.web\nimport torch\n", "app, worker, analyzers"),
    "analyzers/cloud/breach.py": ("import analyzers.detection\n", "inside analyzers"),
    "analyzers/stranger.py": ("x = 1\n", "inside analyzers"),
    "analyzers/guest/breach.py": ("from analyzers import vocabulary\n", "the guest depends"),
    "analyzers/detection/breach.py": ("import subprocess\n", "no network, subprocess"),
    "app/breach.py": ("from worker.check import pipeline\n", "the web process loads"),
    "worker/runs/breach.py": ("from worker.github_app import client\n", "what runs tested code"),
    "worker/github_app/breach.py": ("x = 1\n", "inside github_app"),
    "worker/github_app/client/breach.py": ("import worker.sandbox\n", "runs no tested code"),
    "worker/github_app/events/breach.py": ("import analyzers.pipeline\n", "vocabulary alone"),
    "worker/solver.py": ("import crosshair\n", "only the guest imports torch"),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-logo", "--no-cache"],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def copy(tmp_path):
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, tmp_path / package,
            ignore=shutil.ignore_patterns("__pycache__", "application"),
        )  # fmt: skip
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contracts_hold(copy):
    result = lint(copy)
    assert result.returncode == 0, result.stdout
    assert "0 broken" in result.stdout


def test_every_contract_notices_its_breach(copy):
    for path, (text, _) in BREACHES.items():
        (copy / path).write_text(text)
    result = lint(copy)
    assert result.returncode == 1
    broken = [line for line in result.stdout.splitlines() if " BROKEN" in line]
    for _, contract in BREACHES.values():
        assert any(contract in line for line in broken), (contract, result.stdout)
