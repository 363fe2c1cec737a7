import pytest

from tests.worker.broker.engines import LABELS, CountingEngine, Flaky, ask_in_threads
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine import ApiRequest, NoAnswer, NotAsked, Outage
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings

LONG = "x" * 2500
SENTIMENT = "google.language.analyze_sentiment"


class Anything(CountingEngine):
    def answers(self, api):
        return True


def broker(engine, budget, prices=None):
    return Broker(Engines([engine], prices), Recordings(), budget)


def counted(broker):
    return broker.calls, broker.refused, broker.dollars


def test_money_ends_before_it_is_overspent():
    engine = CountingEngine()
    asking = broker(engine, ApiBudget(dollars=0.004))
    for content in (b"a", b"b"):
        asking.answer(LABELS, ApiRequest(content))
    with pytest.raises(NoAnswer, match=r"budget of \$0.004 .* \$0.003 is spent.* costs \$0.0015"):
        asking.answer(LABELS, ApiRequest(b"c"))
    assert asking.answer(LABELS, ApiRequest(b"a")) == {"asked": 1}
    assert engine.asked == 2
    assert counted(asking) == (2, 1, 0.003)


def test_long_texts_cost_more():
    asking = broker(Anything(), ApiBudget(dollars=1))
    asking.answer(SENTIMENT, ApiRequest(text=LONG))
    assert asking.dollars == 0.003


def test_operators_price_counts_instead():
    asking = broker(Anything(), ApiBudget(dollars=1), {"google.language": 20_000})
    asking.answer(SENTIMENT, ApiRequest(text=LONG))
    assert asking.dollars == 0.06


def test_local_engines_cost_nothing():
    engine = CountingEngine()
    engine.local = True
    asking = broker(engine, ApiBudget(dollars=0))
    asking.answer(LABELS, ApiRequest(b"a"))
    assert counted(asking) == (1, 0, 0.0)


def test_unknown_price_is_refused_where_money_is_bounded():
    unpriced = "huggingface.text_classification"
    with pytest.raises(NoAnswer, match=r'\[engines."huggingface"\] price'):
        broker(Anything(), ApiBudget(dollars=5)).answer(unpriced, ApiRequest(text="a"))
    assert broker(Anything(), ApiBudget()).answer(unpriced, ApiRequest(text="a"))


def test_what_did_not_leave_is_free():
    asking = broker(Flaky(NotAsked("off"), 1), ApiBudget(calls=1, dollars=0.0015))
    with pytest.raises(NotAsked):
        asking.answer(LABELS, ApiRequest(b"a"))
    assert counted(asking) == (0, 1, 0.0)
    asking.answer(LABELS, ApiRequest(b"a"))
    assert counted(asking) == (1, 1, 0.0015)


def test_failed_call_is_counted_as_billed():
    asking = broker(Flaky(Outage("down"), 1), ApiBudget(dollars=0.0015))
    with pytest.raises(Outage):
        asking.answer(LABELS, ApiRequest(b"a"))
    with pytest.raises(NoAnswer, match="budget"):
        asking.answer(LABELS, ApiRequest(b"a"))


def test_money_holds_with_many_threads():
    engine = CountingEngine()
    asking = broker(engine, ApiBudget(dollars=0.03))
    ask_in_threads(asking)
    assert engine.asked == 20
    assert counted(asking) == (20, 60, 0.03)
