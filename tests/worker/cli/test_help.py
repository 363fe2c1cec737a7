"""``--help`` loads what it needs to speak, and nothing that works."""

import subprocess
import sys

import pytest

from worker.cli import COMMANDS

HELPS = [(), *((name,) for name in COMMANDS)]
HELPS += [("relations", name) for name in ("build", "fuzz", "show")]
HEAVY = (
    "analyzers",
    "worker.broker",
    "worker.engines",
    "worker.environments",
    "worker.executor",
    "worker.github_app",
    "worker.sandbox",
    "worker.settings",
    "worker.sources",
    "worker.studies",
    *("PIL", "celery", "cv2", "flask", "github", "google", "hypothesis", "jinja2", "jsonschema"),
    *("libcst", "matplotlib", "numpy", "onnxruntime", "pydantic", "rich", "scipy", "sqlalchemy"),
    *("torch", "unidiff", "watchfiles"),
)
PROGRAM = """
import sys
sys.argv = ["assayer", *sys.argv[1:], "--help"]
from worker.cli import main
try:
    main()
finally:
    print("\\n".join(["LOADED", *sys.modules]))
"""


@pytest.mark.parametrize("arguments", HELPS, ids=" ".join)
def test_help_loads_nothing_heavy(arguments):
    command = [sys.executable, "-P", "-c", PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, _, loaded = done.stdout.partition("LOADED\n")
    assert said.startswith(f"Usage: {' '.join(['assayer', *arguments])} ")
    heavy = [name for name in loaded.split() if name.startswith(HEAVY)]
    assert heavy == []
