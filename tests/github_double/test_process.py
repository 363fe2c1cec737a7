"""The double as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import httpx

from tests.github_double import GithubDouble

PATIENCE = 600.0


def test_process_is_led_from_outside_and_tells_at_its_end(tmp_path):
    state = tmp_path / "state.json"
    command = [
        sys.executable, "-m", "tests.github_double",
        "--folder", str(tmp_path / "github"), "--state", str(state),
    ]  # fmt: skip
    with subprocess.Popen(command) as process:
        try:
            told = wait_for(state)
            with httpx.Client(base_url=f"{told['url']}/_double/", timeout=PATIENCE) as door:
                lead(door)
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0
    summary = json.loads(state.read_text())["summary"]
    assert [pull["number"] for pull in summary["pulls"]] == [1]
    assert summary["violations"] == []


def lead(door):
    made = door.post("repository", json={"name": "cafe"}).json()["result"]
    assert made["full_name"] == "acme/cafe"
    pull = door.post("pull", json={"repo": "acme/cafe", "files": {"a.py": "1\n"}}).json()["result"]
    push = {"repo": "acme/cafe", "number": pull["number"], "files": {"a.py": "2\n"}}
    assert door.post("push", json=push).json()["result"] != pull["head"]
    door.post("comment", json={"repo": "acme/cafe", "number": 1, "user": "bob", "body": "hm"})
    door.post("fault", json={"method": "GET", "path": "x", "kind": "502"})
    assert door.post("close", json={"repo": "acme/cafe", "number": 9}).status_code == 400
    assert door.post("nothing").status_code == 404
    summary = door.post("summary").json()["result"]
    assert [one["body"] for one in summary["pulls"][0]["comments"]] == ["hm"]


def test_others_send_what_was_held_and_tell_how_it_went(tmp_path):
    with GithubDouble(tmp_path / "github") as github:
        with httpx.Client(base_url=f"{github.url}/_double/", timeout=PATIENCE) as door:
            door.post("hold")
            door.post("repository", json={"name": "cafe"})
            door.post("pull", json={"repo": "acme/cafe", "files": {"a.py": "1\n"}})
            held = door.post("taken").json()["result"]
            first = next(one for one in held if one["event"] == "pull_request")
            assert github.deliveries.newest_first() == []
            tries = [[first["id"], False, 0, 1.0, 0.5], [first["id"], True, 202, 2.0, 0.1]]
            door.post("tried", json={"tries": tries})
            standing = door.post("standing").json()["result"]
        again, failed = github.deliveries.newest_first()
    assert (failed.status, again.status, again.redelivery) == (502, 202, True)
    assert failed.guid == again.guid == first["guid"]
    assert standing == {"unfinished": 0, "undelivered": len({one["guid"] for one in held}) - 1}


def test_git_that_failed_is_no_write_to_the_api(tmp_path):
    with GithubDouble(tmp_path / "github") as github:
        repo = github.repository("cafe")
        github.faults.add("POST", "git-upload-pack", "502")
        httpx.post(f"{repo.clone_url}/git-upload-pack")
    assert (len(github.requests), github.writes) == (1, [])


def wait_for(state):
    until = time.monotonic() + PATIENCE
    while not state.exists():
        assert time.monotonic() < until, "the double did not start"
        time.sleep(0.02)
    return json.loads(state.read_text())
