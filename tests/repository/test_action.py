"""The Action's steps, run against checkouts of one commit as a runner would run them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft4Validator

from tests.end_to_end import shop
from tests.repository.workflow_steps import Workflow
from tests.worker.changes.test_continuous_integration import Remote, pull_request

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
ASSAYER = str(Path(sys.executable).with_name("assayer"))
SARIF = json.loads((ROOT / "tests/worker/report/sarif-2.1.0-rtm.5.json").read_text("utf-8"))


class ShopRemote(Remote):
    """A remote whose change divides by the number of sentences, which an empty text lacks."""

    def commit(self, name, text):
        for path, content in shop.base().items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        if name == "change.py":
            (self.root / shop.COMMENTS).write_text(shop.CRASHES)
        self.git("add", "--all")
        return super().commit(name, text)


@pytest.fixture
def remote(tmp_path):
    return ShopRemote(tmp_path / "remote")


@pytest.fixture
def workflow(remote, tmp_path):
    def workflow(commit, event, **variables):
        checkout = remote.checkout(tmp_path / "checkout", commit)
        file = tmp_path / "event.json"
        file.write_text(json.dumps(event))
        return Workflow(ACTION, checkout, tmp_path / "runner", file, **variables)

    return workflow


def test_push_without_ml_code_passes(remote, workflow):
    job = workflow(remote.commits[2], {"before": remote.commits[1], "after": remote.commits[2]})
    assert job.run(command=ASSAYER) == 0, job.log
    assert f"Push: compared with {remote.commits[1][:12]}, the commit before it" in job.log
    assert "1 changed file, 0 functions to test" in job.log
    assert "Nothing to test: no ML call that Assayer knows in the change" in job.summary.read_text()
    assert job.outputs()["status"] == "0"
    assert [name.partition("@")[0] for name, _ in job.used] == [
        "actions/cache",
        "actions/upload-artifact",
    ]


def test_wrong_usage_fails_the_job_and_says_why(remote, workflow):
    job = workflow(remote.merge, pull_request(remote))
    assert job.run(command=ASSAYER, arguments="--target nowhere.py::f") == 2
    assert "--target nowhere.py::f: there is no such function" in job.log


@pytest.mark.slow
def test_pull_request_with_a_crash_fails(remote, workflow):
    job = workflow(remote.merge, pull_request(remote), GITHUB_BASE_REF="main")
    status = job.run(
        command=ASSAYER, arguments="--budget 120 --inputs 4 --offline", upload_sarif="true"
    )
    assert status == 1, job.log
    assert "Pull request #7 into main: its merge with" in job.log
    [annotation] = re.findall(r"^::error (.*)::", job.log, re.MULTILINE)
    assert f"file={shop.COMMENTS},line=8," in annotation
    assert "ZeroDivisionError" in job.summary.read_text()
    report = Path(job.outputs()["report"])
    document = json.loads((report / "report.json").read_text())
    assert document["base"] == remote.commits[2]
    [finding] = [each for each in document["findings"] if each["status"] == "new"]
    assert (report / finding["reproducer"]).is_file()
    assert "ZeroDivisionError" in (report / "report.html").read_text()
    used = {name.partition("@")[0]: values for name, values in job.used}
    sarif = json.loads(Path(used["github/codeql-action/upload-sarif"]["sarif_file"]).read_text())
    Draft4Validator(SARIF).validate(sarif)
    assert used["actions/upload-artifact"]["path"] == str(report)
    assert all((job.temp / "assayer" / name).is_dir() for name in ("state", "cache"))
    kept = used["actions/cache"]["path"].split()
    assert {Path(each).name for each in kept} == {"program", "state", "cache"}


@pytest.mark.slow
def test_action_installs_itself(remote, workflow):
    """Without a ``command``: the runtime lock, and this checkout, into a folder of the cache."""
    event = {"before": remote.commits[1], "after": remote.commits[2]}
    job = workflow(remote.commits[2], event, PIP_NO_COMPILE="1")
    assert job.run() == 0, job.log
    program = job.temp / "assayer" / "program" / "bin"
    listed = subprocess.run(
        [program / "python", "-m", "pip", "list"], capture_output=True, text=True, check=True
    )
    assert "assayer" in listed.stdout
    assert not re.search(r"(?m)^(torch|jax|mypy|pyright) ", listed.stdout)


def test_workflow_to_copy_gives_the_action_what_it_takes():
    [text] = re.findall(
        r"```yaml\n(on:.*?)```", (ROOT / "docs/github-action.md").read_text("utf-8"), re.DOTALL
    )
    copied = yaml.safe_load(text)
    steps = [step for job in copied["jobs"].values() for step in job["steps"]]
    [ours] = [step for step in steps if step["uses"].startswith("OWNER/assayer@")]
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    assert ours.get("with", {}).keys() <= action["inputs"].keys()
    assert copied["permissions"]["contents"] == "read"
    assert "pull_request" in copied[True]  # YAML takes "on" for a truth value


def test_inputs_reach_no_shell_but_as_variables():
    """A text of a pull request in a script would be run by it."""
    for step in yaml.safe_load(ACTION.read_text("utf-8"))["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_hook_runs_a_command_that_exists(tmp_path):
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["id"] == "assayer"
    program, *arguments = hook["entry"].split()
    assert program == "assayer"
    remote = Remote(tmp_path / "remote")
    folder = tmp_path / "clone"
    remote.git("clone", "--quiet", f"file://{remote.root}", str(folder), cwd=tmp_path)
    (folder / "main.py").write_text("a = 9\n")
    done = subprocess.run(
        [ASSAYER, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing to test: no ML call that Assayer knows in the change" in done.stdout
