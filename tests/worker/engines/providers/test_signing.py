"""AWS's published examples (aws-sig-v4-test-suite), and botocore's signatures of the rest."""

from datetime import UTC, datetime

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from worker.engines.providers.aws import AwsSigner

KEY_ID, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
MOMENT = datetime(2015, 8, 30, 12, 36, 0, tzinfo=UTC)
PUBLISHED = {
    "post-vanilla": (
        {},
        b"",
        "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ),
    "post-header-key-case": (
        {"My-Header1": "value1"},
        b"",
        "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    ),
    "post-x-www-form-urlencoded": (
        {"Content-Type": "application/x-www-form-urlencoded"},
        b"Param1=value1",
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ),
}


def signer(token=None):
    return AwsSigner(KEY_ID, SECRET, "us-east-1", "service", token)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_example_is_signed_alike(name):
    headers, body, signature = PUBLISHED[name]
    signed = signer().headers("https://example.amazonaws.com/", body, headers, MOMENT)
    assert signed["authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,"
        f" SignedHeaders={';'.join(sorted({'host', 'x-amz-date', *map(str.lower, headers)}))},"
        f" Signature={signature}"
    )


@pytest.mark.parametrize("token", [None, "a/session+token=="])
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8080/", "https://proxy.example/aws/", "https://h.example/a%20b/"]
)
def test_signs_as_botocore_does(url, token):
    headers = {"content-type": "application/x-amz-json-1.1", "x-amz-target": "A.B", "x-two": "a  b"}
    ours = signer(token).headers(url, b'{"a": 1}', headers, MOMENT)
    assert ours["authorization"] == expected(url, b'{"a": 1}', ours, token)


def expected(url, body, headers, token=None):
    """The authorization that botocore computes for a request as it was sent."""
    given = {name: value for name, value in headers.items() if name != "authorization"}
    request = AWSRequest("POST", url, data=body, headers=given)
    request.context["timestamp"] = headers["x-amz-date"]
    auth = SigV4Auth(Credentials(KEY_ID, SECRET, token), "service", "us-east-1")
    told = auth.string_to_sign(request, auth.canonical_request(request))
    names = auth.signed_headers(auth.headers_to_sign(request))
    return (
        f"AWS4-HMAC-SHA256 Credential={auth.scope(request)},"
        f" SignedHeaders={names}, Signature={auth.signature(told, request)}"
    )


def test_secret_and_token_are_not_shown():
    shown = repr(signer("t0ken"))
    assert SECRET not in shown
    assert "t0ken" not in shown
