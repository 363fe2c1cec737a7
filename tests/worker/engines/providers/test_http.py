"""How a service is asked, and what is never repeated of it."""

import datetime
import logging
from email.utils import format_datetime

import pytest

from tests.worker.engines.providers.standin import Reply
from worker.engines.engine import Outage, Rejected
from worker.engines.providers.http_client import Http
from worker.engines.providers.provider_failures import FAILURES

SECRET = "s3cr3t-CANARY/with+signs="
GOOD = Reply({"fine": True})
BUSY = Reply({"error": {"message": "busy"}}, 503)


def asking(**more):
    waits = []
    http = Http("the service", waits.append, **more)
    http.secrets.add(SECRET)
    return http, waits


def ask(http, server):
    return http.post(f"{server.url}/ask", {}, {"key": SECRET}, {"authorization": SECRET})


def in_seconds(seconds):
    now = datetime.datetime.now(datetime.UTC)
    return format_datetime(now + datetime.timedelta(seconds=seconds), usegmt=True)


def test_date_of_retry_after_is_kept(stand_in):
    http, waits = asking()
    ask(http, stand_in(Reply({}, 429, {"retry-after": in_seconds(8)}), GOOD))
    assert len(waits) == 1
    assert 1 < waits[0] <= 8


@pytest.mark.parametrize("odd", ["", "soon", "-5", "nan", "inf", "1e400", in_seconds(-900)])
def test_odd_retry_after_is_a_short_wait(stand_in, odd):
    http, waits = asking()
    ask(http, stand_in(Reply({}, 429, {"retry-after": odd}), GOOD))
    assert len(waits) == 1
    assert 0 < waits[0] < 2


def test_waits_grow_and_differ(stand_in):
    every = []
    for _ in range(3):
        http, waits = asking()
        with pytest.raises(Outage):
            ask(http, stand_in(BUSY))
        assert waits == sorted(waits)
        assert len(waits) == 3
        every += waits
    assert len(set(every)) == len(every)


def test_long_wait_is_not_waited_and_holds_for_the_next_question(stand_in):
    server = stand_in(Reply({}, 429, {"retry-after": "250"}))
    http, waits = asking()
    for _ in range(3):
        with pytest.raises(Outage, match="429"):
            ask(http, server)
    assert (len(server.asked), waits) == (1, [])


def test_recovered_retry_closes_the_circuit(stand_in):
    replies = [BUSY, BUSY, GOOD] * 4
    server = stand_in(*replies)
    http, _ = asking()
    for _ in range(4):
        assert ask(http, server) == {"fine": True}
    assert len(server.asked) == len(replies) > FAILURES


def test_one_server_down_is_not_another(stand_in):
    http, _ = asking()
    with pytest.raises(Outage):
        ask(http, stand_in(BUSY))
    assert ask(http, stand_in(GOOD)) == {"fine": True}


@pytest.mark.parametrize("status", [400, 413, 422])
def test_fault_of_the_question_is_no_outage(stand_in, status):
    server = stand_in(Reply({"error": {"message": "language xx is not supported"}}, status))
    http, _ = asking()
    for _ in range(FAILURES + 1):
        with pytest.raises(Rejected, match="language xx"):
            ask(http, server)
    assert len(server.asked) == FAILURES + 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_fault_of_the_operator_is_not_asked_for_long(stand_in, status):
    server = stand_in(Reply({"error": {"message": "no"}}, status))
    http, _ = asking()
    for _ in range(FAILURES + 3):
        with pytest.raises(Outage, match=str(status)):
            ask(http, server)
    assert len(server.asked) == FAILURES


def test_redirect_is_not_followed_with_the_secret(stand_in):
    thief = stand_in(GOOD)
    server = stand_in(Reply({}, 307, {"location": f"{thief.url}/?key={SECRET}"}))
    http, _ = asking()
    with pytest.raises(Outage, match="HTTP 307"):
        ask(http, server)
    assert thief.asked == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"error": {"message": f"key {SECRET} is wrong"}}, 401, {"www-authenticate": SECRET}),
        Reply({"error": {"message": "x" * 290 + SECRET}}, 400),
        Reply({"error": {"message": f"API key {SECRET} is wrong"}}, 400),
        Reply({"error": {"message": SECRET}}, 503),
        Reply({"error": {"message": {"nested": SECRET}}}, 403),
        Reply({}, 302, {"location": f"https://h/?key={SECRET}"}),
        Reply({"echo": SECRET}),
        Reply(b'{"echo": "s3cr3t-CANARY\\u002fwith\\u002bsigns\\u003d"}'),
        Reply(SECRET.encode()),
        Reply(f"[{SECRET}".encode()),
    ],
    ids=lambda reply: f"{reply.status}-{str(reply.body)[:20]}",
)
def test_echoed_secret_goes_nowhere(stand_in, reply, caplog):
    caplog.set_level(logging.DEBUG)
    http, _ = asking()
    with pytest.raises((Outage, Rejected)) as trouble:
        ask(http, stand_in(reply))
    shown = "".join(map(str, (trouble.value, trouble.value.__cause__, http, caplog.text)))
    assert SECRET[:6] not in shown
    assert "signs" not in shown


def test_endless_answer_is_cut(stand_in, monkeypatch):
    monkeypatch.setattr("worker.engines.providers.http_client.MOST_BYTES", 1000)
    with pytest.raises(Outage, match="more than 1000 bytes"):
        ask(asking()[0], stand_in(Reply(b"x" * 5000)))


@pytest.mark.parametrize(
    "body", [b'{"x": NaN}', b'{"x": -Infinity}', b'{"x": ' + b"9" * 5000 + b"}"]
)
def test_what_is_not_json_is_no_answer(stand_in, body):
    with pytest.raises(Outage, match="not JSON"):
        ask(asking()[0], stand_in(Reply(body)))
