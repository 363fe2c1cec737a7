import json
from urllib.parse import quote

import pytest

from worker.engines.providers.http_client import Secrets, redacted_address

KEY = 'AIza"+/=Sy-1234567890'
PRIVATE = f"{5 * '-'}BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASCBKcwggSjAgEAAoIB\n"


@pytest.fixture
def secrets():
    made = Secrets()
    made.add(KEY)
    made.add(PRIVATE)
    return made


@pytest.mark.parametrize(
    "spelling",
    [KEY, quote(KEY, safe=""), json.dumps(KEY)[1:-1], *PRIVATE.split()[3:5]],
)
def test_every_spelling_is_known(secrets, spelling):
    said = f"the key <{spelling}> is wrong"
    assert secrets.redacted(said) == "the key <…> is wrong"
    assert secrets.occur_in(said.encode())


def test_other_texts_stay(secrets):
    said = "BEGIN PRIVATE KEY is no key"
    assert secrets.redacted(said) == said
    assert not secrets.occur_in(said.encode())


def test_addresses_lose_their_key_whatever_it_is(secrets):
    said = "POST https://h/v1?key=unknown&x=1"
    assert secrets.redacted(said) == redacted_address(said) == "POST https://h/v1?key=…&x=1"


def test_nothing_shows_in_their_own_text(secrets):
    assert KEY not in repr(secrets) + str(secrets)


def test_empty_secret_hides_nothing():
    made = Secrets()
    made.add("")
    assert made.redacted("a text") == "a text"
    assert not made.occur_in(b"a text")
