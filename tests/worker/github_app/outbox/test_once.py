"""Whatever dies, fails or comes twice: one check run, one review, one summary, all finished."""

import threading

import pytest

from tests.worker.github_app.outbox.world import Killed, MortalStore, MortalTransport, findings
from worker.github_app.publishing.comment_marks import fingerprint_in
from worker.store.records import OutboxTaskKind

MOST_DEATHS = 60


@pytest.fixture
def document(world):
    return findings(world.case["document"], 2, 4)


def assert_told_once(pull, document):
    (check,) = pull.check_runs()
    assert (check.status, check.conclusion) == ("completed", "failure")
    assert len(check.annotations) == len(document["findings"])
    (review,) = pull.reviews()
    assert review.state == "COMMENTED"
    told = sorted(fingerprint_in(t.comments[0].body) for t in pull.threads())
    assert told == sorted(f["fingerprint"] for f in document["findings"])
    assert len(pull.bot_comments()) == 1


def examined(world, pull, document):
    """A run that is over before anybody at GitHub was told of it."""
    run = world.ask(pull)
    with world.store.write() as unit:
        assert unit.runs.prepared(run.id)
    world.finish(run, document)
    return run


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_death_at_any_write_to_github(world, document, after):
    for index in range(MOST_DEATHS):
        pull = world.pull(f"cafe-{index}")
        examined(world, pull, document)
        died = world.die(transport=MortalTransport(index, after=after))
        world.drive()
        assert_told_once(pull, document)
        if not died:
            break
    assert 4 <= index < MOST_DEATHS


@pytest.mark.slow
def test_death_at_any_step_of_the_database(world, document):
    with MortalStore(world.url, clock=world.clock.now) as store:
        for index in range(0, MOST_DEATHS, 6):
            pull = world.pull(f"cafe-{index}")
            examined(world, pull, document)
            store.dies_at = index
            died = world.die(store=store)
            world.drive()
            assert_told_once(pull, document)
            if not died:
                break
    assert 15 <= index < MOST_DEATHS - 6


def test_dying_again_and_again_still_ends(world, document):
    pull = world.pull()
    examined(world, pull, document)
    for _ in range(MOST_DEATHS):
        if not world.die(transport=MortalTransport(1, after=True)):
            break
    else:
        pytest.fail("it never ends")
    assert_told_once(pull, document)


@pytest.mark.parametrize("kind", ["503", "502 after", "dropped after"])
def test_one_bad_answer_to_each_write(world, github, document, kind):
    pull = world.pull()
    for path in (r"/check-runs$", r"/check-runs/\d+$", r"/reviews$", r"/issues/\d+/comments$"):
        for method in ("POST", "PATCH"):
            github.faults.add(method, path, kind)
    examined(world, pull, document)
    world.drive()
    assert_told_once(pull, document)


def test_work_that_is_done_after_we_gave_up_waiting_is_found(github, world, document):
    quick = world.settings.github.model_copy(update={"timeout": 1.0})
    world.settings = world.settings.model_copy(update={"github": quick})
    world.app.close()
    world.app = world.app_through()
    pull = world.pull()
    github.faults.add("POST", r"/check-runs$", "late", seconds=2.0)
    github.faults.add("POST", r"/reviews$", "late", seconds=2.0)
    github.faults.add("POST", r"/issues/\d+/comments$", "late", seconds=2.0)
    examined(world, pull, document)
    world.drive()
    assert_told_once(pull, document)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    ["primary", "secondary 429", "secondary without retry-after"],
)
def test_limits_delay_and_drop_nothing(world, github, document, kind):
    pull = world.pull()
    examined(world, pull, document)
    github.faults.add("POST", r"/reviews$", kind, seconds=3.0)
    with world.clerk() as clerk:
        while clerk.serve():
            pass
    assert world.waiting() == 1
    (check,) = pull.check_runs()
    assert check.conclusion == "failure"
    threading.Event().wait(3.1)
    world.drive()
    assert_told_once(pull, document)
    assert github.hasty == []
    assert world.dead() == 0


def test_an_expired_token_is_renewed_in_the_middle(world, github, document):
    pull = world.pull()
    examined(world, pull, document)
    github.faults.add("POST", r"/reviews$", "expired")
    world.drive()
    assert_told_once(pull, document)


def test_two_publishers_at_a_time_say_nothing_twice(world, document):
    pulls = [world.pull(f"cafe-{number}") for number in range(2)]
    for pull in pulls:
        examined(world, pull, document)
    threads = [threading.Thread(target=serve_until_done, args=(world,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    world.drive()
    for pull in pulls:
        assert_told_once(pull, document)
    assert world.dead() == 0


def serve_until_done(world):
    with world.clerk() as clerk:
        for _ in range(200):
            if not clerk.serve() and not world.waiting():
                return
            threading.Event().wait(0.02)


def test_who_lost_the_lane_in_the_middle_writes_no_more(world, document):
    pull = world.pull()
    examined(world, pull, document)
    with world.clerk(transport=MortalTransport(2)) as clerk:
        with pytest.raises(Killed):
            clerk.serve()
        world.clock.sleep(61)
        world.drive()
        assert_told_once(pull, document)
        assert not clerk.serve()


@pytest.mark.slow
def test_a_leftover_review_that_was_never_given_is_removed(world, github, document):
    pull = world.pull()
    bot = github.bot
    with github.state.lock:
        pull._deeds.review(pull.state, bot, "", "PENDING", pull.head)
    examined(world, pull, document)
    world.drive()
    assert_told_once(pull, document)


def test_a_review_that_is_refused_is_told_one_by_one(world, github, document, monkeypatch):
    from github.PullRequest import PullRequest

    from worker.github_app.client.errors import RefusedError

    def refused(*_arguments, **_named):
        raise RefusedError("pull_request_review_thread.line must be part of the diff")

    pull = world.pull()
    examined(world, pull, document)
    monkeypatch.setattr(PullRequest, "create_review", refused)
    world.drive()
    assert len(pull.threads()) == 2
    assert len(pull.bot_comments()) == 1


def test_what_has_no_place_in_the_diff_is_told_in_the_summary(world, document, monkeypatch):
    from github.PullRequest import PullRequest

    from worker.github_app.client.errors import RefusedError

    def refused(*_arguments, **_named):
        raise RefusedError("Validation Failed")

    pull = world.pull()
    examined(world, pull, document)
    for name in ("create_review", "create_review_comment"):
        monkeypatch.setattr(PullRequest, name, refused)
    world.drive()
    assert pull.threads() == []
    (comment,) = pull.bot_comments()
    assert all(f["fingerprint"] in comment.body for f in document["findings"])


@pytest.mark.slow
def test_what_cannot_be_published_still_finishes_its_check_run(world, document, monkeypatch):
    import worker.github_app.publishing.publish_run as module

    def breaks(occasion):
        raise ZeroDivisionError

    pull = world.pull()
    run = examined(world, pull, document)
    monkeypatch.setattr(module, "check_run_output", breaks)
    world.drive(step=901)
    (check,) = pull.check_runs()
    assert (check.status, check.conclusion) == ("completed", "action_required")
    assert run.id[:12] in check.summary
    assert world.dead() == 1


def test_what_cannot_be_cloned_ends_with_an_apology(world):
    pull = world.pull()
    world.ask(pull)
    with world.clerk() as clerk:
        clerk.handlers[OutboxTaskKind.PREPARE] = never
        while clerk.serve():
            pass
        for _ in range(20):
            world.clock.sleep(901)
            while clerk.serve():
                pass
    (check,) = pull.check_runs()
    assert (check.status, check.conclusion) == ("completed", "action_required")


def never(task, context):
    raise ZeroDivisionError


def test_writes_of_an_installation_are_a_pause_apart(github, tmp_path, document, world):
    section = world.settings.github.model_copy(update={"pause": 0.05})
    world.settings = world.settings.model_copy(update={"github": section})
    pull = world.pull()
    examined(world, pull, document)
    with world.clerk() as clerk:
        object.__setattr__(clerk.publisher_context, "sleep", None)
        while clerk.serve():
            pass
    assert_told_once(pull, document)
    assert github.spacing() >= 0.05


def test_an_uncertain_write_is_not_followed_by_another_at_once(world, github, document):
    pull = world.pull()
    examined(world, pull, document)
    github.faults.add("POST", r"/reviews$", "502 after")
    with world.clerk() as clerk:
        while clerk.serve():
            pass
        assert len(pull.reviews()) == 1
        assert pull.bot_comments() == []
    world.drive()
    assert_told_once(pull, document)
