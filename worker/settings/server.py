"""What the operator of this machine decides: a file, overridden by variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from platformdirs import user_state_path
from pydantic import (
    AfterValidator,
    BaseModel,
    ByteSize,
    ConfigDict,
    Field,
    PositiveInt,
    ValidationError,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from worker.errors import UsageError
from worker.settings.complaints import complaint, sentence
from worker.settings.credentials import Reference
from worker.settings.toml import parse

PREFIX = "ASSAYER_"
FILE_VARIABLE = "ASSAYER_SETTINGS"

ENGINE_NAMES = (
    "google.vision",
    "google.language",
    "google.speech",
    "aws.rekognition",
    "aws.comprehend",
    "aws.textract",
    "azure.vision",
    "azure.language",
    "openai",
)
SOURCE_NAMES = ("images", "documents")


def _engine(name: str) -> str:
    if name not in ENGINE_NAMES:
        known = ", ".join(f'"{known}"' for known in ENGINE_NAMES)
        raise ValueError(f"no such engine; known are, in quotes: {known}")
    return name


def _source(name: str) -> str:
    if name not in SOURCE_NAMES:
        raise ValueError(f"no such kind of input; known are: {', '.join(SOURCE_NAMES)}")
    return name


EngineName = Annotated[str, AfterValidator(_engine)]
SourceName = Annotated[str, AfterValidator(_source)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AppSettings(_Section):
    """The web process; ``public_url`` is the root of links in comments."""

    public_url: str | None = None
    max_body: PositiveInt = 26_214_400


class GithubSettings(_Section):
    """The GitHub App; ``checkouts`` holds the clones to test, as ``owner/name``."""

    api_url: str = "https://api.github.com"
    app_id: int | str | None = None
    private_key_file: Path | None = None
    webhook_secret: Reference | None = None
    checkouts: Path | None = None


class QueueSettings(_Section):
    """The broker; without ``url`` there is one process and no broker.

    A run may take ``seconds`` and is tried ``attempts`` times.
    """

    url: str | None = None
    seconds: PositiveInt = 1800
    attempts: PositiveInt = 3


def _state() -> Path:
    return user_state_path("assayer")


class StoreSettings(_Section):
    """Where runs are kept: a database, and a folder or fsspec URL for blobs."""

    url: str = Field(default_factory=lambda: f"sqlite:///{_state() / 'assayer.db'}")
    blobs: str = Field(default_factory=lambda: str(_state() / "blobs"))


class SandboxSettings(_Section):
    """How much a guest may use, and which interpreter runs it.

    ``isolation`` asks for one set of layers instead of the first that works.
    Sizes are bytes, or written like ``"4GiB"``; ``seconds`` is wall clock;
    ``processors`` holds where a control group can be made.
    Guests run as the user ids ``uid_first`` to ``uid_first + uid_count - 1``.
    """

    isolation: Literal["auto", "bubblewrap", "landlock"] = "auto"
    memory: ByteSize = ByteSize(4 << 30)
    processors: float = Field(default=2.0, ge=0.01)
    processes: PositiveInt = 64
    seconds: float = Field(default=900.0, gt=0)
    scratch: ByteSize = ByteSize(256 << 20)
    uid_first: int = Field(default=61_184, ge=1000)
    uid_count: PositiveInt = 256
    python: Path = Field(default_factory=lambda: Path(sys.executable))

    @property
    def uids(self) -> range:
        """The user ids that guests may run as."""
        return range(self.uid_first, self.uid_first + self.uid_count)


def _index(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("an index is an http or https address")
    if parts.username or parts.password:
        raise ValueError("an index has no secret in it: name one in credentials")
    return url


class EnvironmentSettings(_Section):
    """How the tested project's own environment is had.

    ``install``: ``auto`` takes the ``.venv`` of a developer's checkout and
    installs what the project declares where there is none; ``always``
    installs; ``never`` does not.  Wheels come from ``index``;
    ``credentials`` is ``user:password`` for it.  ``builds`` lets packages that
    have no wheel be built from their source, in the sandbox and without a
    network.  Environments are kept in ``folder`` up to ``size`` and made
    within ``seconds``; one may take half of ``size``, one wheel ``largest``.
    """

    install: Literal["auto", "always", "never"] = "auto"
    index: Annotated[str, AfterValidator(_index)] = "https://pypi.org/simple"
    credentials: Reference | None = None
    builds: bool = False
    folder: Path = Field(default_factory=lambda: _state() / "environments")
    size: ByteSize = ByteSize(10 << 30)
    largest: ByteSize = ByteSize(400 << 20)
    seconds: float = Field(default=300.0, gt=0)


class EngineSettings(_Section):
    """How the questions to one service are answered.

    ``provider``: its own protocol, spoken to ``endpoint`` (its public one by
    default; AWS has one in each ``region``, Azure none); ``local``: a program
    on this machine; ``replay``: only from recordings.  ``price`` in dollars a
    unit replaces the list price; ``uris`` lets the service fetch addresses
    that tested code sends.
    """

    kind: Literal["provider", "local", "replay"] = "provider"
    endpoint: str | None = None
    credentials: Reference | None = None
    region: str | None = None
    price: float | None = Field(default=None, ge=0, le=1000)
    uris: bool = False


class BudgetSettings(_Section):
    """The most that one run may cost, whatever its repository asks for."""

    api_calls: int = Field(default=2000, ge=0)
    api_dollars: float = Field(default=5.0, ge=0, le=1_000_000)


class RecordingSettings(_Section):
    """Where recorded answers lie, and when they go: per repository, by last use."""

    folder: Path = Field(default_factory=lambda: _state() / "recordings")
    size: ByteSize = ByteSize(256 << 20)
    days: PositiveInt = 90


class SourceSettings(_Section):
    """Where inputs of one sort come from; ``folder`` for ``kind = "folder"``."""

    kind: str
    endpoint: str | None = None
    key: Reference | None = None
    folder: Path | None = None


class Settings(BaseSettings):
    """Everything that an operator can set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    app: AppSettings = AppSettings()
    github: GithubSettings = GithubSettings()
    queue: QueueSettings = QueueSettings()
    store: StoreSettings = Field(default_factory=StoreSettings)
    sandbox: SandboxSettings = Field(default_factory=SandboxSettings)
    environments: EnvironmentSettings = Field(default_factory=EnvironmentSettings)
    budget: BudgetSettings = BudgetSettings()
    recordings: RecordingSettings = Field(default_factory=RecordingSettings)
    engines: dict[EngineName, EngineSettings] = Field(default_factory=dict[str, EngineSettings])
    sources: dict[SourceName, SourceSettings] = Field(default_factory=dict[str, SourceSettings])

    @property
    def recordings_folder(self) -> Path:
        """Where answers of ML APIs are kept, by whose they are."""
        return self.recordings.folder

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - replaced below
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - not read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - not read
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Variables before the file."""
        return _Variables(settings_cls), init_settings


class _Variables(EnvSettingsSource):
    """``ASSAYER_ENGINES__GOOGLE_VISION__…`` for ``engines."google.vision"``."""

    def __call__(self) -> dict[str, Any]:
        found = super().__call__()
        engines = found.get("engines")
        if isinstance(engines, dict):
            names = {name.replace(".", "_"): name for name in ENGINE_NAMES}
            found["engines"] = {names.get(key, key): value for key, value in engines.items()}
        return found


def read_settings(file: Path | None = None) -> Settings:
    """The settings of this process.

    From ``file``, else the file that ``ASSAYER_SETTINGS`` names, else none;
    ``ASSAYER_*`` variables come before it.  Raises ``UsageError``.
    """
    named = os.environ.get(FILE_VARIABLE)
    file = file or (Path(named) if named else None)
    _refuse_unknown_variables(os.environ)
    text = "" if file is None else _text(file)
    document = parse(text, str(file))
    try:
        return Settings(**document)
    except SettingsError as error:
        raise UsageError(f"an {PREFIX}* variable cannot be read: {error}") from error
    except ValidationError as error:
        raise _complaint(error, text, str(file)) from error


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file=str(file)) from error
    except UnicodeDecodeError as error:
        raise UsageError("is not UTF-8", file=str(file)) from error


def _complaint(error: ValidationError, text: str, file: str) -> UsageError:
    location = error.errors(include_url=False, include_input=False)[0]["loc"]
    variable = _variable(location, os.environ)
    if variable is not None:
        return UsageError(sentence(error, Settings), key=variable)
    return complaint(error, Settings, text, file)


def _variable(location: tuple[int | str, ...], environment: Mapping[str, str]) -> str | None:
    """The variable that set a place, if one did."""
    parts = [str(part).replace(".", "_").upper() for part in location if part != "[key]"]
    names = {PREFIX + "__".join(parts[:length]) for length in range(1, len(parts) + 1)}
    below = PREFIX + "__".join(parts) + "__"
    return next(
        (name for name in environment if name.upper() in names or name.upper().startswith(below)),
        None,
    )


def _refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    """Refuse ``ASSAYER_X__Y`` without a section X; a name without ``__`` may be a secret's."""
    known = sorted(Settings.model_fields)
    for name in environment:
        section, nested, _ = name.upper().removeprefix(PREFIX).partition("__")
        if name.upper().startswith(PREFIX) and nested and section.lower() not in known:
            raise UsageError(f"unknown setting; the sections are: {', '.join(known)}", key=name)
