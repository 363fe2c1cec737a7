from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.worker.github_app.client.scripted import KEY, PEM, START, Github, app, get, reply
from worker.errors import UsageError
from worker.github_app.client.credentials import Signer
from worker.github_app.client.errors import UnauthorizedError


def claims(github: Github, number: int) -> dict[str, object]:
    token = github.asked[number].headers["authorization"].removeprefix("Bearer ")
    options = {"verify_exp": False, "verify_iat": False}
    return dict(jwt.decode(token, KEY.public_key(), algorithms=["RS256"], options=options))


def test_the_app_signs_for_at_most_ten_minutes_a_minute_back(
    github: Github, tmp_path: Path
) -> None:
    github.replies = [reply(200, {})]
    get(app(github, tmp_path).api, "/app")
    start = int(START.timestamp())
    assert claims(github, 0) == {"iss": "7", "iat": start - 60, "exp": start + 540}


def test_a_signature_is_used_for_some_minutes_and_then_renewed(
    github: Github, tmp_path: Path
) -> None:
    api = app(github, tmp_path).api
    github.replies = [reply(200, {}) for _ in range(3)]
    for seconds in (0, 470, 20):
        github.clock.pass_(seconds)
        get(api, "/app")
    issued = [claims(github, number)["iat"] for number in range(3)]
    assert issued[0] == issued[1] != issued[2]


def test_githubs_clock_is_taken_where_ours_is_wrong(github: Github, tmp_path: Path) -> None:
    theirs = START - timedelta(minutes=20)
    served = {"date": format_datetime(theirs)}
    github.replies = [reply(401, {}, served), reply(200, {}), reply(200, {})]
    api = app(github, tmp_path).api
    get(api, "/app")
    assert claims(github, 1)["exp"] == int(theirs.timestamp()) + 540
    github.clock.pass_(600)
    get(api, "/app")
    assert claims(github, 2)["exp"] == int(theirs.timestamp()) + 600 + 540


def test_one_refused_signature_is_renewed_for_all_threads(tmp_path: Path) -> None:
    (tmp_path / "app.pem").write_bytes(PEM)
    signer = Signer(7, tmp_path / "app.pem", lambda: START)
    refused = signer.token
    theirs = START + timedelta(hours=1)
    renewed = signer.renewed(refused, theirs)
    assert renewed is not None
    assert renewed != refused
    assert signer.renewed(refused, theirs) == renewed
    assert signer.renewed(renewed, theirs) is None


@pytest.mark.parametrize("served", [{}, {"date": format_datetime(START)}, {"date": "nonsense"}])
def test_a_wrong_key_is_not_tried_again_and_told(
    github: Github, tmp_path: Path, served: dict[str, str]
) -> None:
    github.replies = [reply(401, {"message": "could not be decoded"}, served)]
    with pytest.raises(UnauthorizedError) as raised:
        get(app(github, tmp_path).api, "/app")
    assert "private_key_file" in raised.value.remedy
    assert len(github.asked) == 1


def test_the_key_is_read_only_when_it_is_needed(github: Github, tmp_path: Path) -> None:
    asked = app(github, tmp_path, private_key_file=tmp_path / "later.pem")
    api = asked.installation(1, None, {"checks": "write"})
    (tmp_path / "later.pem").write_bytes(PEM)
    github.replies = [reply(200, {})]
    assert get(api, "/a") == {}


def test_a_missing_key_file_is_named(github: Github, tmp_path: Path) -> None:
    missing = tmp_path / "none.pem"
    with pytest.raises(UsageError) as raised:
        get(app(github, tmp_path, private_key_file=missing).api, "/app")
    assert str(missing) in str(raised.value)
    assert "download" in str(raised.value)
    assert raised.value.key == "github.private_key_file"


def test_a_folder_in_place_of_the_key_is_named(github: Github, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=str(tmp_path)):
        get(app(github, tmp_path, private_key_file=tmp_path).api, "/app")


def _ec_key() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _locked_key() -> bytes:
    return KEY.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )


@pytest.mark.parametrize("text", [b"", b"no key", b"\xff\xfe", PEM[:200], _ec_key(), _locked_key()])
def test_what_is_no_key_is_refused_without_being_repeated(
    github: Github, tmp_path: Path, text: bytes
) -> None:
    file = tmp_path / "odd.pem"
    file.write_bytes(text)
    with pytest.raises(UsageError) as raised:
        get(app(github, tmp_path, private_key_file=file).api, "/app")
    assert str(file) in str(raised.value)
    assert raised.value.__cause__ is None
    assert "BEGIN" not in str(raised.value)


@pytest.mark.parametrize("missing", ["app_id", "private_key_file"])
def test_an_app_that_is_not_set_up_says_what_is_missing(
    github: Github, tmp_path: Path, missing: str
) -> None:
    with pytest.raises(UsageError) as raised:
        get(app(github, tmp_path, **{missing: None}).api, "/app")
    assert raised.value.key == f"github.{missing}"
