"""Check runs as GitHub keeps them."""

from __future__ import annotations

import pytest

from tests.github_double.rest_client import Asker


@pytest.fixture
def repo(github):
    return github.repository("cafe")


@pytest.fixture
def asker(github, repo):
    return Asker(github, repo)


@pytest.fixture
def run(asker, repo):
    body = {"name": "Assayer", "head_sha": repo.head(), "external_id": "r1"}
    return asker.post("~/check-runs", body).json()


def annotation(**more):
    return {
        "path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "notice",
        "message": "look", **more,
    }  # fmt: skip


def output(**more):
    return {"output": {"title": "t", "summary": "s", **more}}


def test_run_starts_queued(run):
    assert (run["status"], run["conclusion"], run["external_id"]) == ("queued", None, "r1")


def test_unknown_commit_is_refused(asker):
    answer = asker.post("~/check-runs", {"name": "Assayer", "head_sha": "0" * 40})
    assert answer.status_code == 422
    assert answer.json()["message"] == f"No commit found for SHA: {'0' * 40}"


def test_annotations_are_appended(asker, run):
    for _ in range(2):
        body = output(annotations=[annotation()] * 50)
        asker.patch(f"~/check-runs/{run['id']}", body)
    told = asker.get(f"~/check-runs/{run['id']}").json()
    assert told["output"]["annotations_count"] == 100
    listed = asker.get(f"~/check-runs/{run['id']}/annotations?per_page=100").json()
    assert len(listed) == 100


def test_more_than_50_annotations_are_refused(github, asker, run):
    body = output(annotations=[annotation()] * 51)
    assert asker.patch(f"~/check-runs/{run['id']}", body).status_code == 422
    assert len(github.violations) == 1
    github.violations.clear()


@pytest.mark.parametrize("field", ["summary", "text"])
def test_texts_are_limited_in_bytes(asker, run, field):
    fits, long = "é" * 32_767, "é" * 32_768
    place = f"~/check-runs/{run['id']}"
    assert asker.patch(place, output(**{field: fits})).status_code == 200
    refused = asker.patch(place, output(**{field: long}))
    assert refused.status_code == 422
    assert "maximum bytesize of 65535" in refused.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"end_line": 2, "start_column": 1, "end_column": 2},
        {"start_column": 1},
        {"start_line": 3, "end_line": 2},
        {"start_column": 5, "end_column": 2},
        {"title": "x" * 256},
        {"message": "x" * 65_537},
    ],
)
def test_annotations_that_github_refuses(asker, run, wrong):
    place = f"~/check-runs/{run['id']}"
    refused = asker.patch(place, output(annotations=[annotation(**wrong)]))
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "annotations"


def test_columns_on_one_line_are_kept(asker, run):
    body = output(annotations=[annotation(start_column=2, end_column=5)])
    assert asker.patch(f"~/check-runs/{run['id']}", body).status_code == 200


def test_completed_needs_a_conclusion(github, repo, asker, run):
    place = f"~/check-runs/{run['id']}"
    created = {"name": "Assayer", "head_sha": repo.head(), "status": "completed"}
    assert asker.post("~/check-runs", created).status_code == 422
    assert asker.patch(place, {"status": "completed"}).status_code == 422
    assert asker.patch(place, {"conclusion": "neutral"}).json()["status"] == "completed"
    assert [one.where for one in github.violations] == ["request checks/update"]
    github.violations.clear()


def test_buttons_show_on_completed_runs_only(github, repo, asker, run):
    button = {"label": "Run 4x", "description": "More inputs", "identifier": "rerun_4x"}
    place = f"~/check-runs/{run['id']}"
    asker.patch(place, {"actions": [button]})
    kept = repo.check_runs(repo.head())[0]
    with pytest.raises(ValueError, match="completed"):
        repo.press(kept, "rerun_4x")
    asker.patch(place, {"conclusion": "failure"})
    repo.press(kept, "rerun_4x", "bob")
    payload = github.deliveries.of("check_run", "requested_action")[0].payload
    assert payload["requested_action"] == {"identifier": "rerun_4x"}
    assert payload["sender"]["login"] == "bob"
    assert payload["check_run"]["external_id"] == "r1"


@pytest.mark.parametrize(
    "actions",
    [
        [{"label": "x" * 21, "description": "d", "identifier": "i"}],
        [{"label": "l", "description": "x" * 41, "identifier": "i"}],
        [{"label": "l", "description": "d", "identifier": "x" * 21}],
        [{"label": "l", "description": "d", "identifier": "i"}] * 4,
    ],
)
def test_buttons_beyond_the_limits_are_violations(github, asker, run, actions):
    body = {"conclusion": "failure", "actions": actions}
    assert asker.patch(f"~/check-runs/{run['id']}", body).status_code == 422
    assert github.violations
    github.violations.clear()


def test_latest_run_of_a_name_counts(repo, asker, run):
    asker.patch(f"~/check-runs/{run['id']}", {"conclusion": "failure"})
    again = asker.post("~/check-runs", {"name": "Assayer", "head_sha": repo.head()}).json()
    path = f"~/commits/{repo.head()}/check-runs"
    latest = asker.get(f"{path}?check_name=Assayer").json()
    assert [one["id"] for one in latest["check_runs"]] == [again["id"]]
    everything = asker.get(f"{path}?check_name=Assayer&filter=all").json()
    assert everything["total_count"] == 2
    assert not repo.passes(repo.head())


def test_rerequest_tells_of_it_and_leaves_the_run_alone(github, asker, run):
    asker.patch(f"~/check-runs/{run['id']}", {"conclusion": "failure"})
    assert asker.post(f"~/check-runs/{run['id']}/rerequest").status_code == 201
    assert asker.get(f"~/check-runs/{run['id']}").json()["conclusion"] == "failure"
    suite = asker.get(f"~/check-suites/{run['check_suite']['id']}").json()
    assert (suite["status"], suite["conclusion"]) == ("queued", None)
    payload = github.deliveries.of("check_run", "rerequested")[0].payload
    assert payload["check_run"]["external_id"] == "r1"


def test_fork_heads_name_no_pull_requests(github, repo, asker):
    fork = repo.fork("mallory")
    pull = repo.pull("fix", files={"a.py": "1\n"}, user="mallory", fork=fork)
    body = {"name": "Assayer", "head_sha": pull.head}
    made = asker.post("~/check-runs", body).json()
    assert made["pull_requests"] == []
    assert not github.deliveries.of("check_suite", "requested")
    repo.rerun(repo.check_runs(pull.head)[0])
    repo.rerun_all(pull.head)
    suite = github.deliveries.of("check_suite", "rerequested")[0].payload["check_suite"]
    assert (suite["pull_requests"], suite["head_branch"]) == ([], None)
    rerun = github.deliveries.of("check_run", "rerequested")[0].payload["check_run"]
    assert rerun["pull_requests"] == []


def test_own_branches_name_their_pull_requests(repo, asker):
    pull = repo.pull(files={"a.py": "1\n"})
    made = asker.post("~/check-runs", {"name": "Assayer", "head_sha": pull.head}).json()
    assert [one["number"] for one in made["pull_requests"]] == [pull.number]


def test_merge_group_has_a_head_of_its_own(github, repo, asker):
    pull = repo.pull(files={"a.py": "1\n"})
    sha = repo.merge_group(pull)
    payload = github.deliveries.of("merge_group", "checks_requested")[0].payload
    assert payload["merge_group"]["head_sha"] == sha != pull.head
    assert asker.post("~/check-runs", {"name": "Assayer", "head_sha": sha}).status_code == 201


def test_statuses_are_combined(github, repo):
    github.installation.permissions["statuses"] = "write"
    asker = Asker(github, repo)
    for state in ("failure", "success"):
        body = {"state": state, "context": "ci/one"}
        assert asker.post(f"~/statuses/{repo.head()}", body).status_code == 201
    told = asker.get(f"~/commits/{repo.head()}/status").json()
    assert (told["state"], told["total_count"]) == ("success", 1)
    assert asker.post(f"~/statuses/{'0' * 40}", {"state": "success"}).status_code == 422
