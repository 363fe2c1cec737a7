"""Pull requests, their files and diffs."""

from __future__ import annotations

import pytest

from tests.github_double.rest_client import Asker, lines


@pytest.fixture
def repo(github):
    return github.repository("cafe", files={"a.py": lines(), "b.py": "x\r\ny\r\n"})


@pytest.fixture
def asker(github, repo):
    return Asker(github, repo)


def test_files_carry_gits_own_patches(repo, asker):
    repo.pull(files={"a.py": lines(5, 40), "new/ü.py": "1\n", "b.py": None})
    found = {one["filename"]: one for one in asker.get("~/pulls/1/files").json()}
    assert found["a.py"]["patch"].startswith("@@ -2,7 +2,7 @@")
    assert found["a.py"]["patch"].count("@@ -") == 2
    assert (found["a.py"]["additions"], found["a.py"]["changes"]) == (2, 4)
    assert found["new/ü.py"]["status"] == "added"
    assert found["b.py"]["status"] == "removed"
    assert "-x\r\n" in found["b.py"]["patch"]


def test_renamed_file_names_its_former_path(repo, asker):
    repo.pull(files={"a.py": None, "moved.py": lines(5)})
    (found,) = asker.get("~/pulls/1/files").json()
    assert (found["status"], found["previous_filename"]) == ("renamed", "a.py")


def test_binary_and_large_files_have_no_patch(github, repo, asker):
    github.limits.patch_lines = 1000
    repo.pull(files={"a.bin": b"\0\1\2", "big.py": "x\n" * 1001, "a.py": lines(5)})
    found = {one["filename"]: "patch" in one for one in asker.get("~/pulls/1/files").json()}
    assert found == {"a.bin": False, "a.py": True, "big.py": False}


def test_pages_hold_30_and_link_to_the_next(repo, asker):
    repo.pull(files={f"f{n:03}.py": "1\n" for n in range(65)})
    first = asker.get("~/pulls/1/files")
    assert len(first.json()) == 30
    assert first.links["next"]["url"].endswith("page=2")
    assert first.links["last"]["url"].endswith("page=3")
    last = asker.get("~/pulls/1/files?page=3")
    assert len(last.json()) == 5
    assert "next" not in last.links
    assert len(asker.get("~/pulls/1/files?per_page=500").json()) == 65


def test_file_list_stops_at_its_limit(github, repo, asker):
    github.limits.files = 40
    repo.pull(files={f"f{n:03}.py": "1\n" for n in range(65)})
    assert len(asker.get("~/pulls/1/files?per_page=100").json()) == 40
    assert asker.get("~/pulls/1").json()["changed_files"] == 65


def test_diff_of_too_many_files_is_refused(repo, asker):
    repo.pull(files={f"f{n:03}.py": "1\n" for n in range(301)})
    answer = asker.get("~/pulls/1", accept="application/vnd.github.diff")
    assert answer.status_code == 406
    assert answer.json()["errors"][0]["code"] == "too_large"


def test_diff_of_too_many_lines_is_refused(repo, asker):
    repo.pull(files={"big.py": "x\n" * 20_001})
    answer = asker.get("~/pulls/1", accept="application/vnd.github.diff")
    assert (answer.status_code, "lines (20000)" in answer.text) == (406, True)


def test_small_diff_is_told_as_git_writes_it(repo, asker):
    repo.pull(files={"a.py": lines(5)})
    answer = asker.get("~/pulls/1", accept="application/vnd.github.diff")
    assert answer.text.startswith("diff --git a/a.py b/a.py")


def test_diff_starts_at_the_merge_base(repo, asker):
    pull = repo.pull(files={"a.py": lines(5)})
    repo.commit("main", {"other.py": "1\n"})
    pull.push({"a.py": lines(5, 6)})
    assert [one["filename"] for one in asker.get("~/pulls/1/files").json()] == ["a.py"]


def test_push_moves_the_head_and_tells_of_it(github, repo, asker):
    pull = repo.pull(files={"a.py": lines(5)})
    before = pull.head
    pull.push({"a.py": lines(6)})
    told = github.deliveries.of("pull_request", "synchronize")[0].payload
    assert (told["before"], told["after"]) == (before, pull.head)
    assert asker.get("~/pulls/1").json()["head"]["sha"] == pull.head
    assert len(asker.get("~/pulls/1/commits").json()) == 2


def test_commit_finds_the_pull_requests_that_hold_it(repo, asker):
    pull = repo.pull(files={"c.py": "1\n"})
    first = pull.head
    second = pull.push({"c.py": "2\n"})
    for sha in (first, second):
        found = asker.get(f"~/commits/{sha}/pulls").json()
        assert [one["number"] for one in found] == [pull.number]
    pull.push({"c.py": "3\n"}, force=True)
    assert asker.get(f"~/commits/{first}/pulls").json() == []


def test_commit_of_a_fork_finds_its_pull_request_at_the_fork_only(github, repo, asker):
    fork = repo.fork("mallory")
    pull = repo.pull("fix", files={"c.py": "1\n"}, user="mallory", fork=fork)
    assert asker.get(f"~/commits/{pull.head}/pulls").json() == []
    found = Asker(github, fork).get(f"~/commits/{pull.head}/pulls").json()
    assert [one["number"] for one in found] == [pull.number]
    assert asker.get(f"~/commits/{'0' * 40}/pulls").status_code == 422


def test_deleted_fork_leaves_no_head_repository(github, repo, asker):
    fork = repo.fork("mallory")
    pull = repo.pull("fix", files={"c.py": "1\n"}, user="mallory", fork=fork)
    fork.delete("mallory")
    assert asker.get("~/pulls/1").json()["head"]["repo"] is None
    assert asker.get("~/pulls?state=all").json()[0]["head"]["repo"] is None
    pull.close()
    payload = github.deliveries.of("pull_request", "closed")[0].payload
    assert payload["pull_request"]["head"]["repo"] is None


def test_life_of_a_pull_request_is_told(github, repo):
    repo.commit("stable", {"s.py": "1\n"})
    pull = repo.pull(files={"c.py": "1\n"}, draft=True)
    pull.ready()
    pull.to_draft()
    pull.retarget("stable")
    pull.retitle("Another")
    pull.close()
    pull.reopen()
    pull.merge()
    told = [one.action for one in github.deliveries.of("pull_request")]
    assert told == [
        "opened", "ready_for_review", "converted_to_draft", "edited", "edited", "closed",
        "reopened", "closed",
    ]  # fmt: skip
    assert github.deliveries.log[-1].event in {"pull_request", "check_suite"}
    assert github.deliveries.of("pull_request", "closed")[-1].payload["pull_request"]["merged"]


def test_files_and_folders_are_read(repo, asker):
    repo.commit("main", {"lib/x.py": "1\n"})
    assert asker.get("~/contents/a.py").json()["encoding"] == "base64"
    raw = asker.get("~/contents/b.py?ref=main", accept="application/vnd.github.raw+json")
    assert raw.content == b"x\r\ny\r\n"
    assert [one["path"] for one in asker.get("~/contents/lib").json()] == ["lib/x.py"]
    assert asker.get("~/contents/none.py").status_code == 404


def test_commits_are_compared(repo, asker):
    repo.pull(files={"a.py": lines(5)})
    told = asker.get("~/compare/main...feature").json()
    assert (told["status"], told["ahead_by"], len(told["files"])) == ("ahead", 1, 1)
    assert asker.get("~/compare/main...nowhere").status_code == 404


def test_git_objects_are_read(repo, asker):
    ref = asker.get("~/git/ref/heads/main").json()
    assert ref["object"]["sha"] == repo.head()
    tree = asker.get("~/git/trees/main?recursive=1").json()["tree"]
    blob = next(one for one in tree if one["path"] == "a.py")
    assert asker.get(f"~/git/blobs/{blob['sha']}").json()["size"] == len(lines())
    assert asker.get("~/branches/main").json()["commit"]["sha"] == repo.head()
    assert len(asker.get("~/commits").json()) == 1
    assert asker.get(f"~/commits/{repo.head()}").json()["stats"]["additions"] == 62
    assert asker.get(f"~/commits/{'0' * 40}").status_code == 422


def test_refs_are_made_and_moved(repo, asker):
    sha = repo.commit("main", {"c.py": "1\n"})
    first = asker.get("~/commits").json()[-1]["sha"]
    body = {"ref": "refs/heads/made", "sha": first}
    assert asker.post("~/git/refs", body).status_code == 201
    assert asker.post("~/git/refs", body).status_code == 422
    assert asker.patch("~/git/refs/heads/made", {"sha": sha}).status_code == 200
    assert asker.patch("~/git/refs/heads/made", {"sha": first}).status_code == 422
    assert asker.ask("DELETE", "~/git/refs/heads/made").status_code == 204
