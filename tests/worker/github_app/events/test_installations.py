"""Installations, repositories, and deliveries that nobody can understand."""

import pytest

from tests.worker.github_app.events.saying import (
    INSTALLATION,
    REPOSITORY,
    at,
    delivery,
    delivery_named,
    pull_request,
    recorded,
)
from worker.github_app.events.event_payloads import MalformedError
from worker.store.records import InstallationRecord, RunState


def repository(unit):
    return unit(lambda it: it.installations.repository(REPOSITORY))


def of_repository(action, when, **changes):
    about = recorded("pull_request.opened")["repository"] | {"updated_at": at(when)} | changes
    return delivery(
        "repository",
        {"action": action, "repository": about, "installation": {"id": INSTALLATION}},
    )


def test_an_installation_brings_its_repositories(heard, unit):
    heard(delivery_named("installation.created"))
    known = unit(lambda it: it.installations.get(INSTALLATION))
    assert (known.account, known.suspended) == ("Codertocat", False)
    assert repository(unit).full_name == "Codertocat/Hello-World"


def test_uninstalling_forgets_everything_and_ends_what_runs(heard, unit):
    payload = recorded("installation.created") | {"action": "deleted"}
    heard(delivery_named("installation.created"), pull_request("opened"))
    heard(delivery("installation", payload))
    assert repository(unit) is None
    assert unit(lambda it: it.installations.get(INSTALLATION)) is None
    (run,) = unit(lambda it: it.runs.of_pull(REPOSITORY, 2))
    assert run.state is RunState.CANCELLED


def test_suspending_and_unsuspending_come_in_any_order(heard, unit):
    suspend, back = recorded("installation.suspend"), recorded("installation.unsuspend")
    suspend["installation"] |= {"updated_at": at(0), "suspended_at": at(0)}
    back["installation"] |= {"id": suspend["installation"]["id"], "updated_at": at(9)}
    number = suspend["installation"]["id"]
    heard(delivery("installation", suspend))
    assert unit(lambda it: it.installations.get(number)).suspended
    heard(delivery("installation", back), delivery("installation", suspend))
    assert not unit(lambda it: it.installations.get(number)).suspended


def test_new_permissions_change_nothing(heard, unit):
    heard(delivery_named("installation.new_permissions_accepted"))
    heard(delivery("installation", recorded("installation.suspend") | {"action": "unheard-of"}))
    kept = unit(lambda it: it.installations.all())
    assert all(isinstance(each, InstallationRecord) and not each.suspended for each in kept)


def test_repositories_are_added_and_removed(heard, unit):
    added = recorded("installation_repositories.added")
    heard(delivery("installation_repositories", added))
    (told,) = added["repositories_added"]
    assert unit(lambda it: it.installations.repository(told["id"])).full_name == told["full_name"]
    removed = added | {
        "action": "removed", "repositories_added": [], "repositories_removed": [told],
    }  # fmt: skip
    heard(delivery("installation_repositories", removed))
    assert unit(lambda it: it.installations.repository(told["id"])) is None


def test_a_repository_keeps_its_newest_name(heard, unit):
    heard(pull_request("opened"))
    heard(of_repository("renamed", 5, full_name="Codertocat/New"))
    heard(
        of_repository("renamed", 3, full_name="Codertocat/Middle"), pull_request("opened", number=9)
    )
    assert repository(unit).full_name == "Codertocat/New"


def test_a_repository_that_was_transferred_belongs_to_another_installation(heard, unit):
    heard(pull_request("opened"))
    moved = recorded("pull_request.opened")["repository"] | {
        "updated_at": at(5),
        "full_name": "else/it",
    }
    heard(
        delivery(
            "repository",
            {"action": "transferred", "repository": moved, "installation": {"id": 77}},
        )
    )
    assert (repository(unit).full_name, repository(unit).installation) == ("else/it", 77)


def test_old_news_never_make_a_private_repository_public(heard, unit):
    heard(
        of_repository("privatized", 9, private=True), of_repository("publicized", 5, private=False)
    )
    heard(pull_request("opened", when=5))
    assert repository(unit).private is True
    (run,) = unit(lambda it: it.runs.of_pull(REPOSITORY, 2))
    assert run.job.private is True


def test_a_repository_that_is_deleted_is_forgotten(heard, unit):
    heard(pull_request("opened"), of_repository("deleted", 5))
    assert repository(unit) is None
    assert unit(lambda it: it.pulls.get(REPOSITORY, 2)) is None


@pytest.mark.parametrize(
    ("event", "body", "problem"),
    [
        ("pull_request", b"not json", "JSON"),
        ("pull_request", b"[]", "the body"),
        ("pull_request", b"{}", "Field required"),
        ("pull_request", b"\xff\xfe", "the body"),
        ("pull_request", b"[" * 100_000, "the body"),
        ("check_suite", b'{"repository": {"id": "1"}}', "repository.id"),
    ],
)
def test_what_cannot_be_understood_says_which_field_is_wrong(heard, event, body, problem):
    from dataclasses import replace

    action = {"pull_request": "opened", "check_suite": "requested"}[event]
    with pytest.raises(MalformedError, match=problem):
        heard(replace(delivery(event, body), action=action))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("pull_request", "head", "sha"), "../../etc"),
        (("pull_request", "head", "sha"), None),
        (("pull_request", "number"), "2"),
        (("pull_request", "number"), -1),
        (("pull_request", "updated_at"), "soon"),
        (("repository", "full_name"), "a/b/c"),
        (("repository", "full_name"), "a/b\n"),
        (("repository", "private"), "false"),
        (("repository", "id"), 2**63),
        (("installation", "id"), 0),
    ],
)
def test_hostile_values_are_refused_before_anything_is_kept(heard, unit, place, value):
    payload = recorded("pull_request.opened") | {"installation": {"id": 1}}
    part = payload
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    with pytest.raises(MalformedError, match=".".join(place)):
        heard(delivery("pull_request", payload))
    assert repository(unit) is None


def test_events_that_nobody_handles_change_nothing(heard, unit):
    heard(delivery("ping", {"zen": "Keep it logically awesome.", "hook_id": 1}))
    heard(delivery("push", {"ref": "refs/heads/main"}))
    assert unit(lambda it: it.outbox_tasks.count()) == {"waiting": 0, "dead": 0}
