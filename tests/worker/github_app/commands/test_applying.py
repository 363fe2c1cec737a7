"""Suggestions that are committed to the branch of a pull request."""

import pytest

from analyzers.vocabulary import Suggestion
from tests.worker.github_app.commands.asking import AUTHOR, CRASHES, answers, refused
from tests.worker.github_app.outbox.world import findings
from worker.changes.git import Git
from worker.errors import UsageError
from worker.github_app.commands.suggestion_commits import CommitMessage, commit, edited

CRASH = "354e5000e62b9e8f"
PATH = "expenses/receipts.py"


def git(pull, *arguments):
    from tests.github_double.bare import git as run

    return run(pull.source.state.git.folder, *arguments).decode()


def suggestion_of(world, fingerprint=CRASH):
    found = world.case["document"]["findings"]
    return next(each["suggestion"] for each in found if each["fingerprint"] == fingerprint)


def expected(text, suggestion):
    lines = text.split("\n")
    lines[suggestion["start_line"] - 1 : suggestion["end_line"]] = suggestion["replacement"].split(
        "\n"
    )
    return "\n".join(lines)


def test_a_suggestion_is_committed_by_the_bot_with_who_asked_beside_it(world):
    pull = world.opened()
    before = pull.head
    text = pull.source.read(PATH, before).decode()
    world.say(pull, "alice", f"/assayer apply {CRASH}")
    assert answers(pull) == [f"Committed the suggestion as {pull.head}."]
    assert git(pull, "rev-parse", f"{pull.head}^").strip() == before
    assert pull.source.read(PATH, pull.head).decode() == expected(text, suggestion_of(world))
    assert git(pull, "diff", "--name-only", before, pull.head).split() == [PATH]
    told = git(pull, "log", "-1", "--format=%an <%ae>%n%B", pull.head)
    assert told.startswith("assayer[bot] <assayer[bot]@users.noreply.github.com>\n")
    assert f"Apply what Assayer suggests for {PATH}\n" in told
    assert told.strip().endswith("Co-authored-by: alice <alice@users.noreply.github.com>")
    assert world.runs(pull)[0].job.head == before
    world.settle()
    assert world.runs(pull)[0].job.head == pull.head


def test_the_button_commits_all_suggestions_at_once(world):
    pull = world.opened(document=world.case["document"])
    before = pull.head
    pull.repository.press(pull.check_runs()[0], "apply", "alice")
    world.settle()
    assert git(pull, "rev-parse", f"{pull.head}^").strip() == before
    changed = git(pull, "diff", "--numstat", before, pull.head).split()
    assert changed[2::3] == ["expenses/comments.py", PATH]
    assert git(pull, "log", "-1", "--format=%B", pull.head).count("Assayer-Finding:") == 4
    assert answers(pull) == []


def test_line_ends_of_the_file_are_kept(world):
    texts = {path: text.replace("\n", "\r\n") for path, text in world.case["texts"].items()}
    pull = world.opened(files=texts)
    world.say(pull, "alice", f"/assayer apply {CRASH}")
    content = pull.source.read(PATH, pull.head).decode()
    assert content == expected(world.case["texts"][PATH], suggestion_of(world)).replace(
        "\n", "\r\n"
    )


def test_the_mode_of_a_file_is_kept(world):
    pull = world.opened()
    listed = git(pull, "ls-tree", pull.head, PATH)
    world.say(pull, "alice", f"/assayer apply {CRASH}")
    assert git(pull, "ls-tree", pull.head, PATH)[:6] == listed[:6]


def test_a_head_that_moved_on_is_left_alone(world):
    pull = world.opened()
    pull.push({"more.py": "x = 1\n"}, user=AUTHOR)
    head = pull.head
    world.say(pull, "alice", f"/assayer apply {CRASH}")
    assert pull.head == head
    assert "has moved on" in answers(pull)[0]


def test_a_push_in_between_is_not_overwritten(world, monkeypatch):
    import worker.github_app.commands.suggestion_commits as applying

    pull = world.opened()
    real = applying._fetched

    def late(*arguments):
        store = real(*arguments)
        pull.push({"more.py": "x = 1\n"}, user=AUTHOR)
        return store

    monkeypatch.setattr(applying, "_fetched", late)
    world.say(pull, "alice", f"/assayer apply {CRASH}")
    assert pull.source.read("more.py", pull.head) == b"x = 1\n"
    assert git(pull, "log", "-1", "--format=%an", pull.head).strip() != "assayer[bot]"
    assert "has moved on" in answers(pull)[0]


@pytest.mark.parametrize("more", [{}, {"fork": True, "maintainers_edit": True}])
def test_a_push_whose_end_is_unknown_is_looked_for(world, monkeypatch, more):
    import worker.github_app.commands.suggestion_commits as applying
    from worker.github_app.client.errors import UncertainError

    pull = world.opened(**more)
    before = pull.head
    real, lost = applying._push, []

    def cut_off(*arguments):
        made = real(*arguments)
        if not lost:
            lost.append(made)
            raise UncertainError("the line was cut")
        return made

    monkeypatch.setattr(applying, "_push", cut_off)
    world.say(pull, "alice", f"/assayer apply {CRASH}")
    assert answers(pull) == []
    pull.push({"more.py": "x = 1\n"}, user=AUTHOR)
    world.clock.sleep(90)
    world.settle()
    assert answers(pull) == [f"Committed the suggestion as {lost[0]}."]
    assert git(pull, "rev-list", "--count", f"{before}..{pull.head}").strip() == "2"


def test_a_fork_is_changed_only_where_maintainers_may_edit(world):
    shut = world.opened("shut", fork=True)
    before = shut.head
    world.say(shut, "alice", f"/assayer apply {CRASH}")
    assert shut.head == before
    assert "does not let maintainers edit" in answers(shut)[0]
    wide = world.opened("wide", fork=True, maintainers_edit=True)
    world.say(wide, "alice", f"/assayer apply {CRASH}")
    assert answers(wide) == [f"Committed the suggestion as {wide.head}."]
    assert git(wide, "log", "-1", "--format=%an", wide.head).strip() == "assayer[bot]"


def test_an_app_that_may_not_write_contents_says_so(world):
    pull = world.opened()
    before = pull.head
    with refused(world.github, contents="read"):
        world.say(pull, "alice", f"/assayer apply {CRASH}")
    assert pull.head == before
    assert "lacks `contents: write`" in answers(pull)[0]


def test_a_finding_without_a_verified_suggestion_is_not_applied(world):
    unverified = findings(world.case["document"], 2)
    (finding,) = unverified["findings"]
    finding["suggestion"] |= {"verified": False}
    pull = world.opened(document=unverified)
    before = pull.head
    world.say(pull, "alice", f"/assayer apply {CRASH}\n/assayer apply 0123456789abcdef")
    assert pull.head == before
    assert "No verified suggestion" in answers(pull)[0]
    assert "No run of this pull request found" in answers(pull)[0]


def test_a_suggestion_that_does_not_fit_changes_nothing(world):
    pull = world.opened()
    before = pull.head
    (run,) = world.runs(pull)
    (finding,) = CRASHES["findings"]
    for number, changes in enumerate(
        (
            {"path": "../../etc/passwd"},
            {"path": ".git/config"},
            {"path": "expenses"},
            {"start_line": 9_000, "end_line": 9_001},
        )
    ):
        wrong = {**finding, "suggestion": finding["suggestion"] | changes}
        world.replace_findings(run, [wrong])
        world.say(pull, "alice", f"{number}\n/assayer apply {CRASH}")
        assert answers(pull)[number].startswith("Nothing was committed:"), changes
    assert pull.head == before


def test_a_path_says_nothing_in_a_commit_message(world):
    path = "closes #1 @ann.py"
    found = {**CRASHES["findings"][0], "path": path}
    found["suggestion"] = found["suggestion"] | {"path": path}
    texts = {path: world.case["texts"][PATH]}
    pull = world.opened(files=texts, document={**CRASHES, "findings": [found]})
    world.say(pull, "alice", f"/assayer apply {CRASH}")
    told = git(pull, "log", "-1", "--format=%B", pull.head)
    assert told.startswith("Apply what Assayer suggests for one file\n")
    assert "#1" not in told


def test_lines_are_replaced_from_the_bottom_up_and_their_ends_are_the_file_s():
    text = "a\r\nb\r\nc\r\nd"
    found = [Suggestion("x.py", 1, 1, "A\nA2"), Suggestion("x.py", 3, 4, "C")]
    assert edited(text, found) == "A\r\nA2\r\nb\r\nC\r\n"
    with pytest.raises(UsageError, match="no lines 4 to 5"):
        edited(text, [Suggestion("x.py", 4, 5, "")])
    with pytest.raises(UsageError, match="no lines 2 to 2"):
        edited("a\n", [Suggestion("x.py", 2, 2, "b")])


def test_a_link_in_the_place_of_a_file_is_not_followed(world):
    pull = world.opened()
    folder = pull.source.state.git.folder
    blob = git(pull, "rev-parse", f"{pull.head}:{PATH}").strip()
    here = Git(folder, {"HOME": str(folder), "GIT_INDEX_FILE": str(folder / "scratch")})
    here.run("read-tree", pull.head)
    here.run("update-index", "--add", "--cacheinfo", f"120000,{blob},link.py")
    tree = here.line("write-tree")
    linked = git(pull, "-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", tree, "-m", "x")
    message = CommitMessage("a", "a@b", "x\n", world.clock.now())
    for path in ("link.py", "expenses"):
        with pytest.raises(UsageError, match="is no file"):
            commit(here, folder, linked.strip(), [Suggestion(path, 1, 1, "x")], message)


def test_the_same_suggestions_make_the_same_commit(world, tmp_path):
    pull = world.opened()
    here = Git(pull.source.state.git.folder)
    message = CommitMessage("a", "a@b", "x\n", world.clock.now())
    made = set()
    for name in "ab":
        (tmp_path / name).mkdir()
        found = [Suggestion(PATH, 1, 1, "# first")]
        made.add(commit(here, tmp_path / name, pull.head, found, message))
    assert len(made) == 1
