"""What stands at the double of GitHub after a run, and what is done on the next one."""

from dataclasses import replace

import pytest

from tests.worker.github_app.outbox.world import findings
from worker.github_app.publishing.comment_marks import SUMMARY, fingerprint_in
from worker.report.page_links import LinkSigner, PageLinks
from worker.store.outbox_tasks import pull_ordering_key
from worker.store.records import IgnoreRecord, OutboxTask, OutboxTaskKind, Policy, RunOptions


def check_of(pull):
    (check,) = pull.check_runs()
    return check


def told(pull):
    """The fingerprints of the open threads."""
    there = [t for t in pull.threads() if not t.resolved]
    return sorted(fingerprint_in(t.comments[0].body) for t in there)


def fingerprints(document):
    return sorted(f["fingerprint"] for f in document["findings"])


def publish_again(world, run, why="again"):
    with world.store.write() as unit:
        ordering_key = pull_ordering_key(run.job.repository_id, run.job.pull)
        key = f"publish:{run.id}:{why}"
        task = OutboxTask(OutboxTaskKind.PUBLISH, run.job.installation, ordering_key, key, run.id)
        assert unit.outbox_tasks.add(task)
    world.drive()


# ------------------------------------------------------------------ one run


def test_a_run_is_announced_told_of_and_concluded(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    check = check_of(pull)
    assert (check.name, check.status, check.external_id) == ("Assayer", "queued", run.id)
    assert check.details_url == f"https://assayer.example/runs/{run.id}"
    assert world.get(run).check_run == check.id
    world.finish(run, world.case["document"])
    world.drive()
    assert (check.status, check.conclusion) == ("completed", "failure")
    assert len(check.annotations) == 5
    assert [action["identifier"] for action in check.actions] == ["rerun_4x", "baseline", "apply"]
    (review,) = pull.reviews()
    assert (review.state, review.commit_id) == ("COMMENTED", pull.head)
    assert told(pull) == fingerprints(world.case["document"])
    (comment,) = pull.bot_comments()
    assert comment.body.rstrip().endswith(SUMMARY)
    with world.store.read() as unit:
        kept = unit.review_comments.of(pull.repository.id, pull.number)
    assert sorted(review_comment.fingerprint for review_comment in kept) == told(pull)


def test_where_all_is_well_nothing_is_said(world):
    pull = world.pull()
    world.checked(pull, findings(world.case["document"]))
    assert check_of(pull).conclusion == "success"
    assert pull.bot_comments() == pull.reviews() == []


def test_the_conclusion_comes_before_everything_else(world):
    pull = world.pull()
    world.checked(pull, world.case["document"])
    operations = [one.operation for one in world.github.writes if one.status in {200, 201}]
    assert operations == [
        "checks/create",
        "checks/update",
        "checks/update",
        "pulls/create-review",
        "issues/create-comment",
    ]


def test_a_verified_suggestion_can_be_committed_with_a_button(world):
    pull = world.pull()
    world.checked(pull, findings(world.case["document"], 2))
    (thread,) = pull.threads()
    pull.accept(thread.comments[0])


def test_a_failure_of_ours_asks_for_action_and_says_nothing_else(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    attempt = world.start(run)
    with world.store.write() as unit:
        assert unit.runs.fail(attempt, "something of ours broke")
    world.drive()
    assert check_of(pull).conclusion == "action_required"
    assert pull.bot_comments() == pull.reviews() == []


def test_an_outage_passes_only_where_the_repository_asked_for_it(world):
    pull = world.pull()
    run = world.ask(pull)
    with world.store.write() as unit:
        unit.runs.decide(run.id, Policy(fail_open=True))
        assert unit.runs.stop(run.id, "no engine answers")
    world.drive()
    assert check_of(pull).conclusion == "neutral"


def test_only_as_many_remarks_as_the_repository_wants_stand_inline(world):
    pull = world.pull()
    run = world.ask(pull)
    with world.store.write() as unit:
        unit.runs.decide(run.id, Policy(inline_comments=2))
    world.drive()
    world.finish(run, world.case["document"])
    world.drive()
    assert len(pull.threads()) == 2


def test_a_cancelled_run_is_finished_as_cancelled(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    with world.store.write() as unit:
        assert unit.runs.cancel(run.id, "stopped by ann")
    world.drive()
    assert check_of(pull).conclusion == "cancelled"
    assert pull.bot_comments() == []


def test_a_run_that_was_cancelled_before_it_was_announced_leaves_no_check_run(world):
    pull = world.pull()
    run = world.ask(pull)
    with world.store.write() as unit:
        assert unit.runs.cancel(run.id, "closed")
    world.drive()
    assert pull.check_runs() == []


def test_progress_is_told_while_a_run_is_under_way(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    attempt = world.start(run)
    tell_progress(world, run, 1)
    check = check_of(pull)
    assert check.status == "in_progress"
    with world.store.write() as unit:
        assert unit.runs.progress(
            attempt, "testing function 1 of 2: shop.py::a *b* @ann\nfailure, @bob"
        )
    tell_progress(world, run, 2)
    assert "testing function 1 of 2" in check.summary
    assert "@ann" not in check.summary
    assert "\n- failure, " in check.summary
    assert "@bob" not in check.summary
    writes = len(world.github.writes)
    tell_progress(world, run, 3)
    assert len(world.github.writes) == writes


def test_progress_is_never_told_of_what_is_over(world):
    pull = world.pull()
    run = world.checked(pull, world.case["document"])
    writes = len(world.github.writes)
    tell_progress(world, run, 1)
    assert len(world.github.writes) == writes
    assert check_of(pull).status == "completed"


def tell_progress(world, run, period):
    with world.store.write() as unit:
        ordering_key = pull_ordering_key(run.job.repository_id, run.job.pull)
        key = f"progress:{run.id}:{period}"
        unit.outbox_tasks.add(
            OutboxTask(OutboxTaskKind.PROGRESS, run.job.installation, ordering_key, key, run.id)
        )
    world.drive()


def test_a_merge_groups_run_has_a_check_run_and_nothing_else(world):
    pull = world.pull()
    head = pull.repository.merge_group(pull)
    run = world.checked(pull, world.case["document"], head=head, number=None)
    (check,) = pull.repository.check_runs(head)
    assert (check.external_id, check.conclusion) == (run.id, "failure")
    assert pull.bot_comments() == pull.reviews() == []


def test_a_pull_request_of_a_fork_that_is_gone_is_answered(world):
    pull = world.pull()
    fork = pull.repository.fork("mallory")
    other = pull.repository.pull("fix", files=dict(world.case["texts"]), user="mallory", fork=fork)
    fork.delete("mallory")
    world.checked(other, world.case["document"])
    (check,) = pull.repository.check_runs(other.head)
    assert check.conclusion == "failure"
    assert len(other.bot_comments()) == 1


def test_a_renamed_repository_is_answered_under_its_new_name(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    pull.repository.rename("bistro")
    with world.store.write() as unit:
        known = unit.installations.repository(pull.repository.id)
        unit.installations.see_repository(replace(known, full_name="acme/bistro"))
    world.finish(run, world.case["document"])
    world.drive()
    assert check_of(pull).conclusion == "failure"
    assert len(pull.bot_comments()) == 1


# ------------------------------------------------------------- the next push


def test_links_to_the_run_of_a_repository_that_became_private_are_signed(world):
    world.links = PageLinks(
        "https://assayer.example",
        LinkSigner(b"secret"),
        3600,
        lambda: world.clock.now().timestamp(),
    )
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    assert "sig=" not in check_of(pull).details_url
    with world.store.write() as unit:
        known = unit.installations.repository(pull.repository.id)
        unit.installations.see_repository(replace(known, private=True))
    world.finish(run, world.case["document"])
    world.drive()
    assert "sig=" in check_of(pull).details_url
    (comment,) = pull.bot_comments()
    assert f"/runs/{run.id})" not in comment.body


def test_what_is_fixed_is_resolved_and_what_is_left_is_not_told_twice(world):
    pull = world.pull()
    world.checked(pull, world.case["document"])
    pull.push({"README.md": "# Better\n"})
    rest = findings(world.case["document"], 2, 3)
    world.checked(pull, rest)
    assert told(pull) == fingerprints(rest)
    assert len(pull.reviews()) == 1
    assert len(pull.bot_comments()) == 1


def test_the_last_finding_gone_still_resolves_the_rest(world):
    pull = world.pull()
    world.checked(pull, world.case["document"])
    pull.push({"README.md": "# Better\n"})
    world.checked(pull, findings(world.case["document"]))
    assert told(pull) == []
    (comment,) = pull.bot_comments()
    assert "Nothing is left to do here" in comment.body
    assert check_of(pull).conclusion == "success"


def test_threads_in_which_people_answered_stay(world):
    pull = world.pull()
    world.checked(pull, findings(world.case["document"], 2))
    (thread,) = pull.threads()
    pull.reply(thread, "alice", "I do not think so.")
    pull.push({"README.md": "# Better\n"})
    world.checked(pull, findings(world.case["document"]))
    assert not thread.resolved
    assert len(thread.comments) == 2


def test_our_own_reply_is_no_remark(world, github):
    pull = world.pull()
    one = findings(world.case["document"], 2)
    world.checked(pull, one)
    (thread,) = pull.threads()
    said = thread.comments[0].body
    pull.reply(thread, github.bot.login, said)
    pull.push({"README.md": "# Better\n"})
    world.checked(pull, one)
    assert [(each.resolved, each.comments[1].body) for each in pull.threads()] == [(False, said)]


def test_where_we_may_not_resolve_the_remark_says_that_it_is_gone(world, github):
    pull = world.pull()
    github.installation.permissions.pop("contents")
    world.checked(pull, findings(world.case["document"], 2))
    pull.push({"README.md": "# Better\n"})
    world.checked(pull, findings(world.case["document"]))
    (thread,) = pull.threads()
    assert not thread.resolved
    assert thread.comments[0].minimized or "This is gone" in thread.comments[0].body


def test_a_finding_that_comes_back_is_told_again_where_it_was(world):
    pull = world.pull()
    one, none = findings(world.case["document"], 2), findings(world.case["document"])
    world.checked(pull, one)
    pull.push({"README.md": "# Better\n"})
    world.checked(pull, none)
    pull.push({"README.md": "# Worse\n"})
    world.checked(pull, one)
    assert told(pull) == fingerprints(one)
    assert len(pull.threads()) == 1


def test_an_ignore_changes_what_stands_without_another_examination(world):
    pull = world.pull()
    document = findings(world.case["document"], 2)
    run = world.checked(pull, document)
    (name,) = fingerprints(document)
    with world.store.write() as unit:
        unit.ignores.add(
            IgnoreRecord(pull.repository.id, name, "known", "ann", world.clock.now(), None)
        )
    publish_again(world, run)
    check = check_of(pull)
    assert check.conclusion != "failure"
    assert len(check.annotations) == 1
    assert told(pull) == []
    with world.store.write() as unit:
        assert unit.ignores.remove(pull.repository.id, name)
    publish_again(world, run, "unignored")
    assert check.conclusion == "failure"
    assert len(check.annotations) == 1
    assert told(pull) == [name]
    assert len(pull.bot_comments()) == 1


def test_a_summary_that_somebody_deleted_is_written_anew(world):
    pull = world.pull()
    run = world.checked(pull, world.case["document"])
    pull.delete(pull.bot_comments()[0])
    publish_again(world, run)
    assert len(pull.bot_comments()) == 1


def test_publishing_again_what_stands_writes_no_comment(world):
    pull = world.pull()
    run = world.checked(pull, world.case["document"])
    writes = len(world.github.writes)
    publish_again(world, run)
    assert [one.operation for one in world.github.writes[writes:]] == ["checks/update"]


# ------------------------------------------------------------------- stale


def test_nothing_is_published_of_a_head_that_has_moved(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    old = pull.head
    pull.push({"README.md": "# Newer\n"})
    world.finish(run, world.case["document"])
    world.drive()
    (check,) = pull.repository.check_runs(old)
    assert check.conclusion == "cancelled"
    assert check.annotations == []
    assert pull.bot_comments() == pull.reviews() == []


@pytest.mark.slow
def test_a_head_that_no_event_told_of_is_checked(world):
    """The campaign: two pushes in one second, heard in the wrong order."""
    pull = world.pull()
    run = world.ask(pull)
    world.see(pull)
    world.drive()
    pull.push({"README.md": "# Newer\n"})
    world.finish(run, world.case["document"])
    world.drive()
    (check,) = pull.check_runs()
    assert (check.status, check.head_sha) == ("queued", pull.head)
    with world.store.read() as unit:
        found = unit.runs.get(check.external_id)
    world.finish(found, findings(world.case["document"]))
    world.drive()
    assert check.conclusion == "success"


def test_a_head_that_an_event_told_of_is_asked_for_once(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    pull.push({"README.md": "# Newer\n"})
    world.see(pull)
    world.finish(run, world.case["document"])
    world.drive()
    assert pull.check_runs() == []


def test_a_head_that_moves_after_the_conclusion_ends_the_rest(world, github):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    world.finish(run, world.case["document"])
    github.faults.add("POST", r"/reviews$", "502", times=1)
    with pytest.raises(AssertionError, match="still waiting"):
        world.drive(most=0)
    old = pull.head
    pull.push({"README.md": "# Newer\n"})
    world.drive()
    (check,) = pull.repository.check_runs(old)
    assert check.status == "completed"
    assert pull.bot_comments() == pull.reviews() == []


def test_an_older_run_of_the_same_head_does_not_speak_after_a_newer_one(world):
    pull = world.pull()
    first = world.ask(pull, key="first")
    world.drive()
    second = world.ask(pull, key="second")
    world.drive()
    world.finish(second, findings(world.case["document"]))
    world.drive()
    world.finish(first, world.case["document"])
    world.drive()
    by_run = {check.external_id: check.conclusion for check in pull.check_runs()}
    assert by_run == {first.id: "cancelled", second.id: "success"}
    assert pull.reviews() == []


def test_of_a_closed_pull_request_only_the_check_run_is_finished(world):
    pull = world.pull()
    run = world.ask(pull)
    world.drive()
    pull.close()
    world.finish(run, world.case["document"])
    world.drive()
    assert check_of(pull).conclusion == "failure"
    assert pull.bot_comments() == pull.reviews() == []


# ------------------------------------------------------------ reruns of parts


def test_testing_one_function_again_lets_the_rest_pass_no_more_than_before(world):
    pull = world.pull()
    world.checked(pull, world.case["document"], key="whole")
    target = world.case["document"]["findings"][4]["target"]
    part = world.checked(
        pull, findings(world.case["document"]), key="part", options=RunOptions(target=target)
    )
    by_run = {check.external_id: check.conclusion for check in pull.check_runs()}
    assert by_run[part.id] == "failure"
    assert len(told(pull)) == 4


def test_a_part_that_is_quicker_waits_for_the_whole(world):
    pull = world.pull()
    whole = world.ask(pull, key="whole")
    world.drive()
    target = world.case["document"]["findings"][4]["target"]
    part = world.checked(
        pull, findings(world.case["document"]), key="part", options=RunOptions(target=target)
    )
    by_run = {check.external_id: check for check in pull.check_runs()}
    assert by_run[part.id].status != "completed"
    world.finish(whole, world.case["document"])
    world.drive()
    assert by_run[whole.id].conclusion == by_run[part.id].conclusion == "failure"


# -------------------------------------------------------------------- audits


def test_an_audit_is_told_in_one_issue_that_is_closed_when_all_is_well(world):
    pull = world.pull()
    repo = pull.repository
    everything = RunOptions(everything=True)

    def audited(document, key):
        head = repo.head("main")
        world.checked(pull, document, head=head, number=None, options=everything, key=key)

    audited(findings(world.case["document"]), "audit:0")
    assert issues(repo) == []
    audited(world.case["document"], "audit:1")
    (issue,) = issues(repo)
    assert issue.state == "open"
    repo.commit("main", {"README.md": "# More\n"})
    audited(findings(world.case["document"]), "audit:2")
    assert [one.state for one in issues(repo)] == ["closed"]
    audited(world.case["document"], "audit:3")
    assert [one.state for one in issues(repo)] == ["open"]


def issues(repo):
    return [issue for issue in repo.issues() if issue.pull is None]
