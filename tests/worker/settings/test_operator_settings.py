"""The operator's settings: a file, overridden by variables."""

from pathlib import Path

import pytest

from worker.errors import UsageError
from worker.settings.operator_settings import read_settings

WHOLE = """
[app]
public_url = "https://assayer.example.org"

[github]
webhook_secret = "env:HOOK"

[queue]
url = "redis://localhost/0"

[sandbox]
memory = "2GiB"
processes = 32

[engines."google.vision"]
kind = "provider"
endpoint = "http://127.0.0.1:9000"
credentials = "file:~/key"

[sources.images]
kind = "openverse"
endpoint = "http://127.0.0.1:9001"
"""


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in ("SETTINGS", "APP__PUBLIC_URL"):
        monkeypatch.delenv(f"ASSAYER_{name}", raising=False)


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "assayer.toml"
    place.write_text(WHOLE)
    return place


def refused(file: Path | None = None) -> UsageError:
    with pytest.raises(UsageError) as error:
        read_settings(file)
    return error.value


def test_file_is_read(file):
    settings = read_settings(file)
    assert settings.app.public_url == "https://assayer.example.org"
    assert settings.app.max_body == 26_214_400
    assert settings.queue.url == "redis://localhost/0"
    assert (settings.sandbox.memory, settings.sandbox.processes) == (2 << 30, 32)
    assert settings.engines["google.vision"].endpoint == "http://127.0.0.1:9000"
    assert settings.sources["images"].kind == "openverse"


def test_defaults_need_no_file():
    settings = read_settings()
    assert settings.queue.url is None
    assert settings.store.url.startswith("sqlite:///")
    assert settings.engines == {}


def test_variable_names_the_file(file, monkeypatch):
    monkeypatch.setenv("ASSAYER_SETTINGS", str(file))
    assert read_settings().queue.url == "redis://localhost/0"


def test_variables_come_before_the_file(file, monkeypatch):
    monkeypatch.setenv("ASSAYER_APP__PUBLIC_URL", "https://other.example.org")
    monkeypatch.setenv("ASSAYER_ENGINES__GOOGLE_VISION__ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("ASSAYER_ENGINES__AWS_COMPREHEND__REGION", "eu-west-1")
    monkeypatch.setenv("ASSAYER_SANDBOX__PROCESSES", "16")
    settings = read_settings(file)
    assert settings.app.public_url == "https://other.example.org"
    vision = settings.engines["google.vision"]
    assert (vision.endpoint, vision.kind) == ("http://127.0.0.1:1", "provider")
    assert vision.credentials is not None
    assert settings.engines["aws.comprehend"].region == "eu-west-1"
    assert (settings.sandbox.memory, settings.sandbox.processes) == (2 << 30, 16)


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ("public_url", "publik_url", "app.publik_url", "did you mean `public_url`"),
        ("[queue]", "[queues]", "queues", "did you mean `queue`"),
        ('kind = "provider"', 'kind = "magic"', 'engines."google.vision".kind', "'provider'"),
        ("processes = 32", "processes = -1", "sandbox.processes", "greater than 0"),
        ('memory = "2GiB"', 'memory = "much"', "sandbox.memory", "byte"),
        ('[engines."google.vision"]', '[engines.google.vision]', "engines.google", "in quotes"),
        ("google.vision", "gogle.vision", 'engines."gogle.vision"', "google.vision"),
    ],
)  # fmt: skip
def test_mistake_in_the_file_is_named(file, old, new, key, says):
    text = WHOLE.replace(old, new)
    file.write_text(text)
    error = refused(file)
    assert (error.file, error.key) == (str(file), key)
    at = [number for number, line in enumerate(text.splitlines(), 1) if new in line]
    assert error.line == at[0]
    assert says in error.message


def test_literal_credential_is_refused_and_not_repeated(file):
    file.write_text(WHOLE.replace("file:~/key", "AIzaSecretSecret"))
    error = refused(file)
    assert error.key == 'engines."google.vision".credentials'
    assert "env:NAME" in str(error)
    assert "AIza" not in str(error)
    file.write_text(WHOLE.replace("env:HOOK", "hunter2"))
    assert "hunter2" not in str(refused(file))


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("ASSAYER_QUEUES__URL", "x", "the sections are"),
        ("ASSAYER_QUEUE__URI", "x", "unknown key"),
        ("ASSAYER_SANDBOX__PROCESSES", "many", "integer"),
        ("ASSAYER_ENGINES__GOOGLE_VISION__CREDENTIALS", "hunter2", "env:NAME"),
        ("ASSAYER_ENGINES__GOGLE_VISION__ENDPOINT", "x", "google.vision"),
        ("ASSAYER_APP", "{broken", "cannot be read"),
    ],
)
def test_mistake_in_a_variable_is_named(monkeypatch, name, value, says):
    monkeypatch.setenv(name, value)
    error = refused()
    assert name in str(error) or says == "cannot be read"
    assert says in error.message
    assert "hunter2" not in str(error)
    assert error.file is None


def test_variable_that_holds_a_secret_is_no_setting(file, monkeypatch):
    monkeypatch.setenv("ASSAYER_WEBHOOK_SECRET", "s3cret")
    file.write_text('[github]\nwebhook_secret = "env:ASSAYER_WEBHOOK_SECRET"\n')
    secret = read_settings(file).github.webhook_secret
    assert secret is not None
    assert secret.read() == "s3cret"


def test_missing_and_broken_files_are_named(tmp_path, file):
    assert "No such file" in str(refused(tmp_path / "none.toml"))
    file.write_bytes(b"\xff")
    assert str(file) in str(refused(file))
    file.write_text("[app\n")
    assert refused(file).line == 1


def test_reference_is_read_when_used(file, monkeypatch, tmp_path):
    settings = read_settings(file)
    secret = settings.github.webhook_secret
    assert secret is not None
    monkeypatch.delenv("HOOK", raising=False)
    with pytest.raises(UsageError, match="env:HOOK"):
        secret.read()
    monkeypatch.setenv("HOOK", "s3cret")
    assert secret.read() == "s3cret"
    assert "s3cret" not in repr(settings)
    monkeypatch.setenv("HOME", str(tmp_path))
    key = settings.engines["google.vision"].credentials
    assert key is not None
    with pytest.raises(UsageError, match="cannot be read"):
        key.read()
    (tmp_path / "key").write_text("k3y\n")
    assert key.read() == "k3y"


GITHUB = """
[github]
api_url = "{api}"
web_url = "{web}"
"""


def github(tmp_path: Path, api: str, web: str) -> Path:
    place = tmp_path / "github.toml"
    place.write_text(GITHUB.format(api=api, web=web))
    return place


def test_a_double_of_github_may_run_on_this_machine(tmp_path):
    settings = read_settings(github(tmp_path, "http://127.0.0.1:1/", "http://localhost:2"))
    assert settings.github.api_url == "http://127.0.0.1:1"
    assert settings.github.local
    assert not read_settings().github.local


@pytest.mark.parametrize(
    ("api", "web"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com"),
        ("https://github.acme.org/api/v3", "https://github.acme.org"),
        ("http://127.0.0.1:8123", "http://127.0.0.1:8123"),
    ],
)
def test_clones_come_from_where_the_api_is(tmp_path, api, web):
    place = tmp_path / "github.toml"
    place.write_text(f'[github]\napi_url = "{api}"\n')
    assert read_settings(place).github.web_url == web


@pytest.mark.parametrize(
    ("api", "web"),
    [
        ("https://api.github.com", "http://127.0.0.1:2"),
        ("http://github.example.org", "https://github.example.org"),
        ("https://user@github.example.org", "https://github.example.org"),
        ("https://api.github.com", "https://github.com/?x=1"),
        ("https://api.github.com", "ftp://github.com"),
    ],
)
def test_no_address_of_github_gives_tokens_to_others(tmp_path, api, web):
    error = refused(github(tmp_path, api, web))
    assert (error.key or "").startswith("github")
