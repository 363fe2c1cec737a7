"""Functions of neural networks: a pull request that breaks some of them, from check to replay."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import LONGEST, home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import commit, git, repository, small_repository
from tests.worker.report.running import PYTEST
from worker import report

pytestmark = pytest.mark.slow

SCHEMA = json.loads((Path(report.__file__).parent / "schema.json").read_text(encoding="utf-8"))
STEPS = "nets/steps.py"
RARE = """#@arg(number): {takes}
def turned(number):
    return 1 / (abs(number % 999_983 - 12_345) + (number < 500_000_000))
"""
LIKELY, SELDOM = "froms([7, 500_003_845])", "ints(min=0, max=1_000_000_000)"
GUARDED = """def thirds(steps: int) -> float:
    if not 1 <= steps <= 8:
        raise ValueError(steps)
    return 12 / (steps - 3)
"""


@pytest.fixture(scope="module")
def nets(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("nets")
    return Desk(repository(folder / "nets", "nets"), home(folder), folder)


@pytest.fixture(scope="module")
def broken(nets):
    """What is said of the pull request."""
    return nets.check("broken", "--base", "main", "--head", "planted", "--inputs", "2")


def found(checked, function):
    return [f for f in checked.findings if f["target"] == f"{STEPS}::{function}"]


def run_test(finding, tree):
    return subprocess.run(
        [sys.executable, *PYTEST, finding],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


@pytest.mark.parametrize(
    ("function", "rule", "level", "status", "code"),
    [
        ("halves", "property/crash", "failure", "new", "return x.reshape("),
        ("largest", "property/crash", "failure", "existing", "torch.topk(x, 3"),
        ("spectrum", "property/crash", "failure", "new", "torch.eig(x)"),
        ("centred", "property/invalid-annotation", "warning", "new", "tensorz"),
        ("share", "property/crash", "failure", "new", "return 100 / parts"),
    ],
)
def test_each_defect_is_found_once_on_its_line(broken, nets, function, rule, level, status, code):
    (finding,) = found(broken, function)
    lines = git(nets.repository, "show", f"planted:{STEPS}").splitlines()
    assert (finding["rule"], finding["level"], finding["status"]) == (rule, level, status)
    assert code in lines[finding["line"] - 1]


def test_what_the_change_repairs_is_not_held_against_it(broken):
    (fixed,) = found(broken, "last")
    assert (fixed["rule"], fixed["status"]) == ("property/crash", "fixed")
    assert fixed["reproducer"] is None
    assert len([f for f in broken.findings if f["status"] != "fixed"]) == 5


def test_new_failures_block_and_the_ignored_one_does_not(broken):
    assert (broken.status, broken.report["verdict"]) == (1, "failure")
    (ignored,) = [f for f in broken.findings if f.get("ignored")]
    assert (ignored["target"], ignored["ignored"]["reason"]) == (
        f"{STEPS}::share",
        "its callers check",
    )


def test_crash_is_told_by_its_line_its_share_and_who_says_that_it_counts(broken):
    (finding,) = found(broken, "halves")
    happened, share, valid = finding["message"].split("\n")
    assert "`return x.reshape(len(x), parts, size)` (nets/steps.py:10) raises `RuntimeError: " in (
        happened.replace("`RuntimeError`:", "`RuntimeError:")
    )
    assert f"{finding['evidence']['seen']} of " in share
    assert valid == "The annotations of the function allow this input."
    assert "proposed" not in finding["evidence"]


def test_removed_function_is_told_with_what_the_library_offers_instead(broken):
    (finding,) = found(broken, "spectrum")
    assert "torch.linalg.eig" in finding["message"]


def test_function_of_which_nothing_is_known_is_skipped_with_a_way_out(broken):
    (reason,) = [s["reason"] for s in broken.report["skipped"] if s["target"] == f"{STEPS}::joined"]
    assert "#@arg(" in reason
    assert broken.report["broken"] == []


def test_report_keeps_the_schema(broken):
    errors = list(Draft202012Validator(SCHEMA).iter_errors(broken.report))
    assert [error.message for error in errors] == []


def test_reproducer_fails_on_the_change_and_passes_on_its_base(broken, nets):
    (finding,) = found(broken, "halves")
    place = broken.folder / finding["reproducer"]
    failing = run_test(place, nets.branch("planted"))
    assert failing.returncode == 1, failing.stdout
    assert "RuntimeError" in failing.stdout
    assert run_test(place, nets.branch("main")).returncode == 0


def test_replay_fails_on_the_change_and_is_fixed_on_its_base(broken, nets):
    (finding,) = found(broken, "share")
    replayed = broken.folder / "share.json"
    replayed.write_text(json.dumps({**broken.report, "findings": [finding]}), encoding="utf-8")
    after = nets.home.run("replay", replayed, "--repo", nets.branch("planted"))
    before = nets.home.run("replay", replayed, "--repo", nets.branch("main"))
    assert (after.status, after.out) == (1, f"FAILED {finding['fingerprint']}\n")
    assert (before.status, before.out) == (0, f"FIXED {finding['fingerprint']}\n")


def test_function_that_is_gone_is_fixed(broken, nets, tmp_path):
    finding = {**found(broken, "share")[0]}
    replayed = broken.folder / "gone.json"
    replayed.write_text(json.dumps({**broken.report, "findings": [finding]}), encoding="utf-8")
    gone = small_repository(tmp_path / "gone", {STEPS: "def other(): ...\n"})
    ended = nets.home.run("replay", replayed, "--repo", gone)
    assert ended.status == 0
    assert ended.out.startswith(f"FIXED {finding['fingerprint']}")


def test_nothing_that_could_be_tested_is_neutral(nets):
    target = f"{STEPS}::joined"
    checked = nets.check("joined", "--base", "main", "--head", "planted", "--target", target)
    assert (checked.status, checked.report["verdict"]) == (0, "neutral")


def test_what_failed_before_is_tried_first(tmp_path):
    tree = small_repository(tmp_path / "rare", {"rare.py": RARE.format(takes=SELDOM)})
    said = home(tmp_path)
    few = ("--all", "--only", "properties", "--inputs", "1")
    first = said.check(tree, tmp_path / "first", *few)
    (tree / "rare.py").write_text(RARE.format(takes=LIKELY), encoding="utf-8")
    likely = said.check(tree, tmp_path / "likely", *few)
    (tree / "rare.py").write_text(RARE.format(takes=SELDOM), encoding="utf-8")
    again = said.check(tree, tmp_path / "again", *few)
    assert (first.status, first.report["verdict"]) == (0, "success")
    assert [f["evidence"]["exception"] for f in likely.findings] == ["ZeroDivisionError"]
    assert [f["fingerprint"] for f in again.findings] == [f["fingerprint"] for f in likely.findings]


def test_written_annotations_are_those_that_are_tested(tmp_path):
    tree = small_repository(tmp_path / "thirds", {"pipeline.py": GUARDED})
    said = home(tmp_path)
    written = said.run("annotate", "pipeline.py", "--write", folder=tree)
    assert (written.status, written.out) == (0, "")
    commit(tree, "annotated")
    checked = said.check(tree, tmp_path / "out", "--all", "--only", "properties", "--inputs", "2")
    (finding,) = checked.findings
    assert finding["evidence"]["annotations"]["steps"]["given"]
    assert finding["evidence"]["arguments"] == {"steps": "3"}
