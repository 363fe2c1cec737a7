"""Every errand has somebody who does it."""

from worker.github_app.outbox.task_handlers import GIVE_UP_HANDLERS, HANDLERS
from worker.store.records import OutboxTaskKind


def test_every_kind_of_errand_has_a_handler():
    assert set(HANDLERS) == set(OutboxTaskKind)


def test_whatever_people_wait_for_is_not_given_up_in_silence():
    waited_for = {
        OutboxTaskKind.PREPARE,
        OutboxTaskKind.PUBLISH,
        OutboxTaskKind.COMMAND,
        OutboxTaskKind.BUTTON,
    }
    assert set(GIVE_UP_HANDLERS) == waited_for
