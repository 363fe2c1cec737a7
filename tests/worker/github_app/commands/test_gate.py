"""What the author of a pull request can do to its required check without testing its code."""

from tests.worker.github_app.commands.asking import AUTHOR, CRASHES
from tests.worker.github_app.outbox.world import findings


def finished(world, run, document):
    """Examine a run and do all that comes of it."""
    world.drive()
    world.finish(run, document)
    world.drive()


def newest(world, pull):
    return world.runs(pull)[0]


def clean(world):
    return findings(world.case["document"])


def lax(pull, name="lax"):
    """Another branch of the repository, against which nothing is wrong."""
    pull.repository.commit(name, {"README.md": "An older state.\n"})
    return name


def beside(pull, base):
    """Another pull request of the same branch."""
    return pull.repository.pull(pull.state.head_ref, base=base, user=AUTHOR)


def test_going_to_another_base_branch_and_back_does_not_keep_its_answer(world):
    pull = world.opened()
    assert not pull.repository.passes(pull.head)
    pull.retarget(lax(pull), AUTHOR)
    world.hear()
    finished(world, newest(world, pull), clean(world))
    assert pull.repository.passes(pull.head)
    pull.retarget("main", AUTHOR)
    world.hear()
    world.drive()
    assert not pull.repository.passes(pull.head)
    finished(world, newest(world, pull), CRASHES)
    assert not pull.repository.passes(pull.head)


def test_a_part_tested_against_another_base_branch_takes_nothing_over_from_there(world):
    pull = world.opened()
    pull.retarget(lax(pull), AUTHOR)
    world.hear()
    finished(world, newest(world, pull), clean(world))
    pull.retarget("main", AUTHOR)
    world.hear()
    world.drive()
    whole = newest(world, pull)
    target = world.case["document"]["findings"][0]["target"]
    world.say(pull, AUTHOR, f"/assayer rerun target={target}")
    part = newest(world, pull)
    assert part.job.options.target == target
    world.finish(part, clean(world))
    world.settle()
    assert not pull.repository.passes(pull.head)
    finished(world, whole, CRASHES)
    assert not pull.repository.passes(pull.head)


def test_a_second_pull_request_of_the_same_commit_does_not_let_the_first_one_pass(world):
    pull = world.opened()
    other = beside(pull, lax(pull))
    world.hear()
    finished(world, newest(world, other), clean(world))
    assert not pull.repository.passes(pull.head)
    assert "the same commit" in pull.repository.check_run(pull.head).title


def test_a_commit_passes_when_all_pull_requests_that_hold_it_do(world):
    pull = world.opened(document=None)
    other = beside(pull, lax(pull))
    world.hear()
    finished(world, newest(world, other), clean(world))
    assert not pull.repository.passes(pull.head)
    finished(world, newest(world, pull), clean(world))
    assert pull.repository.passes(pull.head)
    assert {check.conclusion for check in pull.check_runs()} == {"success"}


def test_the_other_pull_request_is_told_when_a_finding_is_ignored(world):
    pull = world.opened()
    other = beside(pull, lax(pull))
    world.hear()
    finished(world, newest(world, other), clean(world))
    fingerprint = CRASHES["findings"][0]["fingerprint"]
    world.say(pull, "alice", f"/assayer ignore {fingerprint} known")
    world.drive()
    assert pull.repository.passes(pull.head)


def test_closing_and_reopening_does_not_hide_behind_another_pull_request(world):
    pull = world.opened()
    pull.close(AUTHOR)
    other = beside(pull, lax(pull))
    world.hear()
    finished(world, newest(world, other), clean(world))
    assert pull.repository.passes(pull.head)
    other.close(AUTHOR)
    pull.reopen(AUTHOR)
    world.hear()
    world.drive()
    assert not pull.repository.passes(pull.head)
    finished(world, newest(world, pull), CRASHES)
    assert not pull.repository.passes(pull.head)


def test_a_pull_request_that_is_closed_holds_no_other_back(world):
    pull = world.opened()
    other = beside(pull, lax(pull))
    world.hear()
    finished(world, newest(world, other), clean(world))
    assert not pull.repository.passes(pull.head)
    pull.close(AUTHOR)
    world.hear()
    world.drive()
    assert pull.repository.passes(pull.head)


def test_coming_back_to_a_tested_commit_tells_its_findings_again(world):
    pull = world.opened()
    first = pull.head
    pull.push({"more.py": "x = 1\n"}, user=AUTHOR)
    world.hear()
    finished(world, newest(world, pull), clean(world))
    summary = [one for one in pull.bot_comments() if "assayer:summary" in one.body]
    assert "Nothing is left to do here" in summary[0].body
    pull.repository.branch(pull.state.head_ref, first, user=AUTHOR)
    world.hear()
    world.drive()
    assert "Nothing is left to do here" not in summary[0].body
    assert [thread.resolved for thread in pull.threads()] == [False]
