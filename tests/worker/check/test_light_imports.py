"""What is not examined loads nothing that only an examination needs."""

import json
import subprocess
import sys

from tests.worker.changes.conftest import Project

HEAVY = {
    "analyzers.pipeline", "analyzers.inference", "celery", "crosshair", "cv2", "google.cloud",
    "httpx", "hypothesis", "libcst", "matplotlib", "numpy", "onnxruntime", "PIL", "scipy",
    "skimage", "sqlalchemy", "torch", "worker.engines.engine_selection", "worker.executor.session",
}  # fmt: skip
PROGRAM = """
import json, sys
from worker.cli import main
sys.argv = ["assayer", "check", sys.argv[1], "--base", "HEAD", "--quiet"]
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)))
"""


def test_change_without_ml_loads_no_analyzer_and_no_library(tmp_path):
    project = Project(tmp_path / "project")
    project.commit(app="def add(a, b):\n    return a + b\n")
    project.write("app.py", "def add(a, b):\n    return b + a\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(project.root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no ML call that Assayer knows" in done.stdout, done.stderr
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert loaded & HEAVY == set()


def test_what_decides_that_last_results_count_loads_no_analyzer_and_no_engine():
    program = "import json, sys, worker.check.plan_run; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    needed = {"analyzers.inference", "analyzers.pipeline", "httpx", "libcst", "PIL",
              "worker.engines.engine_selection", "worker.executor.session"}  # fmt: skip
    examining = {"analyzers.cloud.cloud_analyzer", "analyzers.properties"}
    others = {"analyzers.models", "analyzers.assembly", "jsonschema"}
    loaded = set(json.loads(done.stdout))
    assert loaded & ((HEAVY - needed) | examining | others) == set()
