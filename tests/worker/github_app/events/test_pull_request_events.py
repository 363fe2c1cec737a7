"""What happens to a pull request, and what is checked then."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.worker.github_app.events.saying import (
    INSTALLATION,
    NUMBER,
    REPOSITORY,
    about_head,
    delivery_named,
    pull_request,
    sha,
)
from worker.github_app.outbox.delivery_dispatch import dispatch
from worker.store.records import OutboxTaskKind, RunState
from worker.store.store import Store


def runs(unit):
    return unit(lambda it: it.runs.of_pull(REPOSITORY, NUMBER))


def alive(unit):
    return [run for run in runs(unit) if not run.state.over]


def waiting(store, ordering_key):
    """The errands of a lane, in order; each is done."""
    found = []
    with store.write() as unit:
        while (record := unit.outbox_tasks.next(ordering_key)) is not None:
            found.append(record.task)
            unit.outbox_tasks.done(record.id)
    return found


def finish(store, run_id):
    with store.write() as unit:
        unit.runs.prepared(run_id)
        attempt = unit.runs.start(run_id, lease=60, limit=3)
        assert unit.runs.finish(attempt, {"verdict": "success"})


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
def test_a_head_that_is_ready_is_checked(heard, unit, store, action):
    heard(pull_request(action))
    (run,) = runs(unit)
    assert run.state is RunState.PREPARING
    assert run.job.head == sha("a")
    assert run.job.pull == NUMBER
    assert run.job.installation == INSTALLATION
    assert run.job.key == f"{REPOSITORY}:{sha('a')}:master"
    assert run.job.fork is False
    (announced,) = waiting(store, f"pull:{REPOSITORY}:{NUMBER}")
    assert (announced.kind, announced.run) == (OutboxTaskKind.ANNOUNCE, run.id)


def test_recorded_pull_requests_are_checked(heard, unit):
    heard(delivery_named("pull_request.opened", installation={"id": 1}))
    (run,) = runs(unit)
    assert run.job.repository == "Codertocat/Hello-World"


def test_a_pull_request_that_nobody_installed_us_for_is_answered_nowhere(heard, unit):
    heard(delivery_named("pull_request.opened", installation=None))
    (run,) = runs(unit)
    assert run.job.installation is None
    assert run.state is RunState.QUEUED


def test_a_head_of_a_fork_is_not_trusted(heard, unit):
    heard(delivery_named("fork.pull_request.opened", installation={"id": 1}))
    (run,) = alive(unit)
    assert run.job.fork is True


def test_a_head_of_a_fork_that_is_gone_is_checked_all_the_same(heard, unit):
    heard(delivery_named("fork-deleted.pull_request.synchronize", installation={"id": 1}))
    (run,) = unit(lambda it: it.runs.alive())
    assert run.job.fork is True
    pull = unit(lambda it: it.pulls.get(run.job.repository_id, run.job.pull))
    assert (pull.head_repository, pull.head_name) == (None, None)


def test_a_draft_waits_until_it_is_ready(heard, unit):
    heard(pull_request("opened", draft=True))
    assert runs(unit) == ()
    heard(pull_request("ready_for_review", when=1))
    assert len(alive(unit)) == 1


@pytest.mark.slow
def test_a_push_to_a_draft_ends_what_runs_for_its_former_head(heard, unit):
    heard(pull_request("opened"), pull_request("synchronize", "b", 1, draft=True))
    assert [run.state for run in runs(unit)] == [RunState.CANCELLED]


def test_many_events_of_one_head_make_one_run(heard, unit):
    heard(
        pull_request("opened"),
        about_head("check_suite", "requested"),
        pull_request("opened"),
        pull_request("ready_for_review", when=3),
        about_head("check_suite", "requested"),
    )
    assert len(runs(unit)) == 1


def test_a_push_supersedes_the_run_of_the_former_head(heard, unit):
    heard(pull_request("opened"), pull_request("synchronize", "b", 1, before=sha("a")))
    new, old = runs(unit)
    assert (old.state, old.error) == (RunState.CANCELLED, f"superseded by {'b' * 7}")
    assert new.state is RunState.PREPARING


def test_news_that_come_late_change_nothing(heard, unit):
    heard(pull_request("synchronize", "b", 5), pull_request("opened", "a", 1))
    (run,) = runs(unit)
    assert run.job.head == sha("b")
    assert unit(lambda it: it.pulls.get(REPOSITORY, NUMBER)).head == sha("b")


def test_of_two_pushes_in_one_second_the_second_stands(heard, unit):
    first = pull_request("synchronize", "b", 1, before=sha("a"))
    second = pull_request("synchronize", "c", 1, before=sha("b"))
    heard(pull_request("opened"), second, first)
    assert [run.job.head for run in alive(unit)] == [sha("c")]


def test_closing_cancels_what_runs(heard, unit):
    heard(pull_request("opened"), pull_request("closed", when=1))
    (run,) = runs(unit)
    assert (run.state, run.error) == (RunState.CANCELLED, "the pull request was closed")


def test_a_closed_pull_request_is_not_checked_by_what_comes_late(heard, unit):
    heard(
        pull_request("closed", when=9),
        pull_request("opened"),
        about_head("check_suite", "requested"),
    )
    assert runs(unit) == ()


def test_reopening_checks_again_what_closing_cancelled(heard, unit):
    heard(
        pull_request("opened"),
        pull_request("closed", when=1),
        pull_request("reopened", when=2),
        about_head("check_suite", "requested"),
    )
    assert [run.state for run in runs(unit)] == [RunState.PREPARING, RunState.CANCELLED]


def test_coming_back_to_a_head_whose_check_was_superseded_checks_it_again(heard, unit):
    heard(
        pull_request("opened"),
        pull_request("synchronize", "b", 1),
        pull_request("synchronize", "a", 2),
    )
    assert [run.job.head for run in alive(unit)] == [sha("a")]


def test_coming_back_to_a_head_that_was_checked_tells_its_answer_again(heard, unit, store):
    heard(pull_request("opened"))
    (first,) = runs(unit)
    finish(store, first.id)
    heard(pull_request("synchronize", "b", 1))
    waiting(store, f"pull:{REPOSITORY}:{NUMBER}")
    heard(pull_request("synchronize", "a", 2), pull_request("synchronize", "a", 2))
    assert alive(unit) == []
    told = [each for each in waiting(store, f"pull:{REPOSITORY}:{NUMBER}") if each.run == first.id]
    assert [each.kind for each in told] == [OutboxTaskKind.PUBLISH]


def test_a_check_that_somebody_stopped_stays_stopped(heard, unit, store):
    heard(pull_request("opened"))
    with store.write() as opened:
        opened.runs.cancel(opened.runs.of_pull(REPOSITORY, NUMBER)[0].id, "stopped by @a")
    heard(about_head("check_suite", "requested"), pull_request("opened"))
    assert alive(unit) == []


def test_another_base_branch_is_another_check(heard, unit):
    changed = pull_request(
        "edited", when=1, base_ref="next", changes={"base": {"ref": {"from": "master"}}}
    )
    heard(pull_request("opened"), changed)
    new, old = runs(unit)
    assert old.state is RunState.CANCELLED
    assert new.job.key.endswith(":next")


def test_another_title_is_not(heard, unit):
    heard(pull_request("opened"), pull_request("edited", when=1, changes={"title": {"from": "x"}}))
    assert len(runs(unit)) == 1


def test_two_pull_requests_of_one_head_are_both_checked(heard, unit):
    heard(pull_request("opened"), pull_request("opened", number=3))
    assert len(unit(lambda it: it.runs.of_head(REPOSITORY, sha("a")))) == 2


@pytest.mark.parametrize(("action", "head"), [("closed", "a"), ("synchronize", "b")])
def test_who_leaves_a_head_lets_the_other_pull_request_be_told_anew(
    heard, unit, store, action, head
):
    heard(pull_request("opened"), pull_request("opened", number=3))
    for run in unit(lambda it: it.runs.of_head(REPOSITORY, sha("a"))):
        finish(store, run.id)
    waiting(store, f"pull:{REPOSITORY}:3")
    heard(pull_request(action, head, 1))
    (told,) = waiting(store, f"pull:{REPOSITORY}:3")
    (other,) = unit(lambda it: it.runs.of_pull(REPOSITORY, 3))
    assert (told.kind, told.run) == (OutboxTaskKind.PUBLISH, other.id)


def test_a_key_holds_a_base_branch_of_any_length(heard, unit):
    heard(pull_request("opened", base_ref="b" * 250))
    (run,) = runs(unit)
    assert len(run.job.key) <= 255


def test_other_actions_change_nothing(heard, unit):
    heard(pull_request("labeled"), pull_request("assigned"), pull_request("converted_to_draft"))
    assert runs(unit) == ()


LIVES = st.lists(
    st.sampled_from(["push", "close", "reopen", "ready", "rebase", "suite"]), min_size=1, max_size=6
)


class Life:
    """A pull request; each thing that happens to it is a second after the one before."""

    def __init__(self, *, draft):
        self.heads, self.head, self.base = iter("bcdef01234"), "a", "master"
        self.open, self.draft = True, draft

    def event(self, action, when, **changes):
        state = {"draft": self.draft, "base_ref": self.base}
        return pull_request(action, self.head, when, **state, **changes)

    def push(self, when):
        before, self.head, self.open = self.head, next(self.heads), True
        return self.event("synchronize", when, before=sha(before))

    def close(self, when):
        self.open = False
        return self.event("closed", when)

    def reopen(self, when):
        self.open = True
        return self.event("reopened", when)

    def ready(self, when):
        self.draft, self.open = False, True
        return self.event("ready_for_review", when)

    def rebase(self, when):
        self.base, self.open = f"base-{when}", True
        return self.event("edited", when, changes={"base": {"ref": {"from": "x"}}})

    def suite(self, when):
        return about_head("check_suite", "requested", self.head, when)


def told(steps):
    life = Life(draft="ready" in steps)
    return [
        life.event("opened", 0),
        *(getattr(life, step)(when) for when, step in enumerate(steps, start=1)),
    ]


def ends_in(folder, deliveries):
    with Store(f"sqlite:///{folder}/books.db") as store:
        for each in deliveries:
            with store.write() as unit:
                dispatch(each, unit)
        with store.read() as unit:
            live = [run.job for run in unit.runs.alive()]
            return (
                unit.pulls.get(REPOSITORY, NUMBER),
                sorted((job.head, job.base, job.key, job.pull) for job in live),
                unit.installations.repository(REPOSITORY),
            )


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(life=LIVES, data=st.data())
def test_any_order_and_duplication_ends_in_the_same_books(life, data, tmp_path_factory):
    events = told(life)
    mixed = data.draw(st.permutations(events + data.draw(st.lists(st.sampled_from(events)))))
    expected = ends_in(tmp_path_factory.mktemp("told"), events)
    assert ends_in(tmp_path_factory.mktemp("mixed"), mixed) == expected
