import pytest
from pydantic import ValidationError

from worker.errors import UsageError
from worker.settings.credential_reference import MOST_BYTES, Reference
from worker.settings.operator_settings import EngineSettings

SECRET = "CANARY-1234567890"


@pytest.fixture
def mounted(tmp_path, monkeypatch):
    """A secret in each place that a reference can name."""
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "vision-key").write_text(f"{SECRET}\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    monkeypatch.setenv("VISION_KEY", f" {SECRET} ")
    return folder


@pytest.mark.parametrize("text", ["env:VISION_KEY", "credential:vision-key", "file:"])
def test_secret_is_read_where_it_lies(mounted, text):
    text = f"file:{mounted}/vision-key" if text == "file:" else text
    reference = Reference(text)
    assert reference.read() == SECRET
    assert SECRET not in repr(reference) + str(EngineSettings(credentials=text))


@pytest.mark.parametrize(
    "text",
    [
        SECRET, "env:", "file: ", "vault:key", "cmd:echo x", "credential:../../etc/passwd",
        "credential:a/b", "credential:.hidden", "credential:",
    ],
)  # fmt: skip
def test_anything_else_is_refused_and_not_repeated(text):
    with pytest.raises(ValidationError) as refused:
        EngineSettings(credentials=text)
    said = refused.value.errors(include_input=False, include_url=False)[0]["msg"]
    assert "never the value" in said
    assert SECRET not in said


@pytest.mark.parametrize("name", ["missing", "empty", "folder", "binary"])
def test_unreadable_secret_is_said_without_its_bytes(mounted, name):
    (mounted / "empty").write_text("\n")
    (mounted / "folder").mkdir()
    (mounted / "binary").write_bytes(SECRET.encode() + b"\xff")
    with pytest.raises(UsageError, match=f"credential:{name}") as refused:
        Reference(f"credential:{name}").read()
    assert refused.value.__cause__ is None
    assert SECRET not in str(refused.value)


def test_credentials_need_their_folder(monkeypatch):
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    with pytest.raises(UsageError, match="CREDENTIALS_DIRECTORY"):
        Reference("credential:vision-key").read()


def test_endless_file_is_read_in_part(mounted):
    (mounted / "long").write_text("x" * (3 * MOST_BYTES))
    assert len(Reference("credential:long").read()) == MOST_BYTES
