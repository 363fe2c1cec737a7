"""What Prism's opinion is taken for."""

import json
import os

import httpx
import pytest

from tests.github_double.prism import HEADER, behind_prism, violations

WRONG = {"location": ["request", "body"], "severity": "Error", "message": "must be string"}
UNLISTED = {"message": "Unable to match the returned status code with those defined: 200"}
NO_ROUTE = {"message": "Selected route not found"}


def held(message, path="/repos/acme/cafe/check-runs", status=200, kind="application/json"):
    headers = {HEADER: json.dumps([message]), "content-type": kind}
    request = httpx.Request("GET", f"http://127.0.0.1:1{path}")
    return violations(request, httpx.Response(status, headers=headers))


def test_what_is_held_against_an_exchange_is_told_with_its_place():
    [told] = held(WRONG)
    assert told.startswith("GET /repos/acme/cafe/check-runs 200: ")
    assert "must be string" in told
    assert held(NO_ROUTE)
    assert held(UNLISTED)
    assert held(WRONG, status=422)


@pytest.mark.parametrize(
    ("message", "how"),
    [
        (NO_ROUTE, {"path": "/graphql"}),
        (NO_ROUTE, {"path": "/repos/acme/cafe/contents/a/b.py"}),
        (UNLISTED, {"status": 422}),
        (WRONG, {"status": 503, "kind": "text/html"}),
        (WRONG, {"kind": "application/vnd.github.diff; charset=utf-8"}),
    ],
)
def test_what_the_description_cannot_say_is_not_held_against_anybody(message, how):
    assert held(message, **how) == []


@pytest.mark.skipif("ASSAYER_PRISM" not in os.environ, reason="only with make test-prism")
def test_wrong_request_is_noticed(tmp_path):
    with pytest.raises(AssertionError, match="check-runs 422"):
        ask_wrongly(tmp_path)


def ask_wrongly(folder):
    with behind_prism(folder / "github") as github, httpx.Client() as client:
        repo = github.repository("cafe")
        url = f"{github.api_url}/repos/{repo.full_name}/check-runs"
        headers = {"Authorization": f"Bearer {github.token()}"}
        client.post(url, json={"name": 7, "head_sha": repo.head()}, headers=headers)
