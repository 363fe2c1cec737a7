import pytest

from tests.worker.broker.engines import LABELS, Flaky
from worker.broker.api_broker import Broker
from worker.engines.engine import ApiRequest, NoAnswer, Outage, Rejected
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings


def asked(count, engine, again=()):
    asking = Broker(Engines([engine]), Recordings())
    for number in (*range(count), *again):
        try:
            asking.answer(LABELS, ApiRequest(str(number).encode()))
        except NoAnswer:
            continue
    return asking


def test_all_answered_is_no_trouble():
    asking = asked(60, Flaky(Outage("down")))
    assert asking.outages == ()
    assert asking.describe() == (f"{LABELS}: parrot-1",)


@pytest.mark.parametrize("count", [10, 60])
def test_one_of_many_is_told_but_no_outage(count):
    asking = asked(count, Flaky(Outage("HTTP 503"), 7))
    assert asking.outages == ()
    assert f"{LABELS}: 1 of {count} questions got no answer (HTTP 503)" in asking.describe()
    assert asking.refused == 1


@pytest.mark.parametrize(("count", "failing"), [(1, 1), (5, 1), (60, 7)])
def test_many_open_questions_are_an_outage(count, failing):
    asking = asked(count, Flaky(Outage("HTTP 503"), *range(1, failing + 1)))
    assert asking.outages == ("HTTP 503",)


def test_answer_at_another_time_closes_the_question():
    asking = asked(1, Flaky(Outage("HTTP 503"), 1), again=[0])
    assert asking.outages == ()
    assert asking.describe() == (f"{LABELS}: parrot-1",)


def test_rejected_question_is_nobodys_outage():
    asking = asked(3, Flaky(Rejected("bad language"), 1, 2, 3))
    assert asking.outages == ()
    assert asking.refused == 3


def test_rejected_question_is_paid_once():
    asking = asked(1, Flaky(Rejected("bad language"), 1), again=[0, 0])
    assert (asking.calls, asking.refused) == (1, 3)


def test_answer_against_the_schema_is_an_outage():
    class Liar(Flaky):
        def ask(self, api, request):
            return {"label_annotations": "Fire"}

    asking = Broker(Engines([Liar(None)]), Recordings())
    with pytest.raises(Outage, match="against its schema: label_annotations is no list"):
        asking.answer(LABELS, ApiRequest(b"a"))
    assert asking.outages
