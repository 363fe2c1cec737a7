"""Ordinary commits as pull requests: which are chosen, and what is counted of their reports."""

import json
import tomllib
from dataclasses import asdict

from benchmarks.real_bugs.fix_commits import git
from benchmarks.real_bugs.pull_request_checks import CheckResult
from benchmarks.trust import ordinary_commits


def commit(folder, title, **files):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", title)
    return git(folder, "rev-parse", "HEAD").decode().strip()


def test_repairs_and_changes_without_code_are_not_chosen(tmp_path, capsys):
    mirror = tmp_path / "owner+toy"
    mirror.mkdir()
    git(mirror, "init", "-q", "-b", "main")
    commit(mirror, "One", toy="x = 1\n", setup="a = 1\n")
    wanted = commit(mirror, "Say it shorter", toy="x = 2\n")
    commit(mirror, "Fix the sign", toy="x = 3\n")
    commit(mirror, "Name the author", setup="a = 2\n")
    words = ["choose", "--mirrors", str(tmp_path), "--only", "owner/toy"]
    assert ordinary_commits.main(words) == 0
    (found,) = tomllib.loads(capsys.readouterr().out)["commit"]
    assert (found["commit"], found["says"]) == (wanted, "Say it shorter")


def test_reports_are_counted(tmp_path, capsys):
    listed = {"repository": "owner/toy", "commit": "b" * 40, "parent": "a" * 40, "says": "Shorter"}
    text = "\n".join(f'{key} = "{value}"' for key, value in listed.items())
    (tmp_path / "list.toml").write_text(f"[[commit]]\n{text}\n")
    target = {"reason": "changed", "executions": 0, "drivers": ["README.md:4"]}
    lines = {"total": 4, "covered": 3}
    report = {
        "verdict": "success",
        "targets": [
            {**target, "changed_lines": lines},
            {**target, "drivers": [], "changed_lines": {"total": 2, "covered": 0}},
        ],
        "findings": [{"status": "new", "level": "notice"}],
    }
    (tmp_path / "results").mkdir()
    kept = tmp_path / "results" / "toy-bbbbbbbb-000000000000.json"
    kept.write_text(json.dumps(asdict(CheckResult("toy-bbbbbbbb", "", 2.0, 0, "", report))))
    words = ["table", "--list", str(tmp_path / "list.toml"), "--folder", str(tmp_path)]
    assert ordinary_commits.main(words) == 0
    said = capsys.readouterr().out
    assert "0 failures and warnings, 1 notices" in said
    assert "1 of 2 changed functions ran, 3 of 6 changed lines" in said
