"""Every errand has somebody who does it."""

from worker.publisher.handlers import HANDLERS, LAST_WORDS
from worker.store import ErrandKind


def test_every_kind_of_errand_has_a_handler():
    assert set(HANDLERS) == set(ErrandKind)


def test_whatever_people_wait_for_is_not_given_up_in_silence():
    waited_for = {ErrandKind.PREPARE, ErrandKind.PUBLISH, ErrandKind.COMMAND, ErrandKind.BUTTON}
    assert set(LAST_WORDS) == waited_for
