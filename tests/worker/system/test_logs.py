from __future__ import annotations

import io
import json
import logging

import pytest

from worker.system import logs

JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl"
KEY = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "installation token": ("ghs_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F"),
    "personal token": ("ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F"),
    "fine-grained token": ("github_pat_11ABCDEFG0abcdefghijkl_mnop", "11ABCDEFG0"),
    "bearer": ("Authorization: Bearer abc.def-123456", "def-123456"),
    "quoted header": ("{'Authorization': 'token deadbeefcafe'}", "deadbeefcafe"),
    "basic": ("authorization=Basic b3BzOnBhc3N3b3Jk", "b3BzOnBhc3N3b3Jk"),
    "jwt": (f"sent {JWT} to", "eyJpc3MiOiIxIn0"),
    "signature of a delivery": ("X-Hub-Signature-256: sha256=" + "ab" * 32, "abab"),
    "signed link": ("/runs/1?expires=5&sig=" + "cd" * 32 + "&x=1", "cdcd"),
    "clone": ("https://x-access-token:s3cr3t@github.com/a/b.git", "s3cr3t"),
    "token as user": ("https://s3cr3t@github.com/a/b.git", "s3cr3t"),
    "broker": ("redis://:p4ss@w0rd@queue.internal:6379/0", "w0rd"),
    "database": ("postgresql+psycopg://assayer:hunter22@db/assayer", "hunter22"),
    "private key": (KEY, "MIIEow"),
    "key without its end": (KEY[:50], "MIIEow"),
    "query": ("GET /x?access_token=hunter22&a=1", "hunter22"),
}


@pytest.fixture
def logged():
    """Log in some way; the lines as objects."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    logs.configure(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)


def test_line_is_an_object_with_level_time_and_logger(logged):
    logging.getLogger("worker.somewhere").warning("kept %d", 3)
    [line] = logged()
    assert line["message"] == "kept 3"
    assert (line["level"], line["logger"]) == ("warning", "worker.somewhere")
    assert line["timestamp"].endswith("Z")


def test_bound_ids_stand_in_every_line_until_the_block_ends(logged):
    log = logging.getLogger("x")
    with logs.bound(delivery="d1"), logs.bound(run="r1"):
        log.info("inside")
    log.info("outside")
    inside, outside = logged()
    assert (inside["delivery"], inside["run"]) == ("d1", "r1")
    assert not {"delivery", "run"} & outside.keys()


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("way", ["message", "argument", "extra", "nested", "exception", "bound"])
def test_no_secret_appears(kind, way, logged):
    text, secret = SECRETS[kind]
    assert secret in text
    _log(way, text)
    whole = json.dumps(logged())
    assert secret not in whole
    assert logs.REDACTED in whole


def _log(way: str, text: str) -> None:
    log = logging.getLogger("x")
    match way:
        case "message":
            log.error(text)
        case "argument":
            log.error("failed: %s", text)
        case "extra":
            log.error("failed", extra={"url": text})
        case "nested":
            log.error("failed", extra={"request": {"headers": [text.encode()]}})
        case "exception":
            log.error("failed", exc_info=ValueError(text))
        case "bound":
            with logs.bound(task=text):
                log.error("failed")


@pytest.mark.parametrize("name", ["token", "webhook_secret", "Authorization", "operator_password"])
def test_value_with_a_telling_name_does_not_appear(name, logged):
    logging.getLogger("x").error("asked", extra={"with": {name: "xyzzy"}})
    assert "xyzzy" not in json.dumps(logged())


def test_hidden_value_does_not_appear_whatever_it_looks_like(logged):
    logs.redact_value("correct horse", "")
    logging.getLogger("x").error("the secret is correct horse, no other")
    assert logged()[0]["message"] == f"the secret is {logs.REDACTED}, no other"


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/octo/app/pull/7#issuecomment-1",
        "mail octo@example.com about https://example.com/a",
        "the token has expired",
        "3f786850e387550fdab836ed7e6dc881de23001b",
        "git@github.com:octo/app.git",
    ],
)
def test_ordinary_text_stays(text):
    assert logs.redacted(text) == text


def test_endless_text_is_cut(logged):
    logging.getLogger("x").error("x" * 1_000_000)
    assert len(logged()[0]["message"]) == logs.LONGEST_TEXT + 1


def test_configuring_twice_logs_once(logged):
    stream = io.StringIO()
    logs.configure(stream)
    logs.configure(stream)
    logging.getLogger("x").info("one")
    assert len(stream.getvalue().splitlines()) == 1


def test_unserialisable_value_is_shown_as_text(logged):
    logging.getLogger("x").info("seen", extra={"what": object, "many": {1, 2}})
    [line] = logged()
    assert "object" in line["what"]
    assert sorted(line["many"]) == [1, 2]
