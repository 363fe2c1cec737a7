"""Settings of this machine's operator: a file, overridden by variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
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
    ValidationInfo,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from worker.errors import UsageError
from worker.settings.api_folder import described
from worker.settings.credential_reference import Reference
from worker.settings.toml_file import configuration_problem, parse, problem_sentence

PREFIX = "ASSAYER_"
FILE_VARIABLE = "ASSAYER_SETTINGS"

ENGINE_NAMES = (
    "google.vision",
    "google.language",
    "google.speech",
    "aws.rekognition",
    "aws.comprehend",
    "aws.textract",
    "aws.transcribe",
    "azure.vision",
    "azure.language",
    "azure.speech",
    "openai",
    "azure.openai",
    "huggingface",
)
SOURCE_NAMES = ("images", "documents")


def _engine(name: str, info: ValidationInfo) -> str:
    more: object = info.data.get("catalogue")
    names = (*ENGINE_NAMES, *(more.providers if isinstance(more, CatalogueSettings) else ()))
    if name not in names:
        known = ", ".join(f'"{known}"' for known in names)
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
    """The web process, and who may see every page.

    ``operators`` are lines of ``user:password``; ``github_operators`` are ids of people at GitHub,
    who log in by the App's OAuth client ``client_id`` with its ``client_secret``.
    """

    public_url: str | None = None
    max_body: PositiveInt = 26_214_400
    link_seconds: PositiveInt = 604_800
    operators: Reference | None = None
    client_id: str | None = None
    client_secret: Reference | None = None
    github_operators: tuple[PositiveInt, ...] = ()


LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def _server(url: str) -> str:
    parts = urlsplit(url)
    local = parts.scheme == "http" and parts.hostname in LOOPBACK
    extra = "@" in parts.netloc or parts.query or parts.fragment
    if not parts.hostname or extra or not (parts.scheme == "https" or local):
        raise ValueError("this is an https address (plain http only on this machine)")
    return url.rstrip("/")


ServerUrl = Annotated[str, AfterValidator(_server)]


def _is_local(url: str) -> bool:
    return urlsplit(url).hostname in LOOPBACK


def _pages_of(settings: Mapping[str, Any]) -> str:
    """Return the root of the pages of the GitHub whose API is asked: github.com drops ``api.``."""
    parts = urlsplit(str(settings.get("api_url", "")))
    host = parts.netloc
    own = host == "api.github.com" or host.endswith(".ghe.com")
    return f"{parts.scheme}://{host.removeprefix('api.') if own else host}"


class GithubSettings(_Section):
    """The GitHub App, and how it is spoken to.

    Clones come from ``web_url``, by default from where the API is.
    The bot is called ``slug[bot]``; GitHub is asked where it is not set.  A
    request may take ``timeout`` seconds; writes of one installation are
    ``pause`` seconds apart; what GitHub refuses is tried ``attempts`` times.
    Every ``redelivery`` seconds it is asked for what it could not deliver.
    ``audit`` are globs of the repositories to be audited every night.
    ``checkouts`` holds, as ``owner/name``, clones to test for jobs that come
    from no installation.
    """

    api_url: ServerUrl = "https://api.github.com"
    web_url: ServerUrl = Field(default_factory=_pages_of)
    app_id: int | str | None = None
    slug: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")] | None = None
    private_key_file: Path | None = None
    webhook_secret: Reference | None = None
    attempts: PositiveInt = 12
    pause: float = Field(default=1.0, ge=0)
    redelivery: float = Field(default=300.0, ge=1)
    timeout: float = Field(default=20.0, gt=0, le=60)
    audit: tuple[str, ...] = ()
    checkouts: Path | None = None

    @property
    def local(self) -> bool:
        """Return whether GitHub is a double on this machine."""
        return _is_local(self.web_url)

    @model_validator(mode="after")
    def _is_one_server(self) -> Self:
        if urlsplit(self.web_url).scheme == "http" and not _is_local(self.api_url):
            raise ValueError("web_url is plain http only where api_url is on this machine too")
        return self


class QueueSettings(_Section):
    """The broker; without ``url`` there is one process and no broker.

    A run may take ``seconds`` and is tried ``attempts`` times; another worker
    takes it when its own was silent for ``lease`` seconds.  Where there are
    workers with a GPU, ``gpu`` is set to ``auto``: a run of deep learning then
    waits up to ``gpu_wait`` seconds for one, and says when there was none.
    """

    url: str | None = None
    seconds: PositiveInt = 1800
    attempts: PositiveInt = 3
    lease: float = Field(default=60.0, ge=1, le=3600)
    gpu: Literal["auto", "never"] = "never"
    gpu_wait: float = Field(default=300.0, ge=0, le=86_400)


def _state() -> Path:
    return user_state_path("assayer")


class StoreSettings(_Section):
    """The stores of runs: a database, and a folder or fsspec URL for blobs.

    Runs that ended ``keep_days`` ago go, with their reports and files.
    """

    url: str = Field(default_factory=lambda: f"sqlite:///{_state() / 'assayer.db'}")
    blobs: str = Field(default_factory=lambda: str(_state() / "blobs"))
    keep_days: PositiveInt = 90


class SandboxSettings(_Section):
    """The limits of a guest, and the interpreter that runs it.

    ``isolation`` asks for one set of layers instead of the first that works.
    Sizes are bytes, or written like ``"4GiB"``; ``seconds`` is wall clock;
    ``processors`` holds where a control group can be made.  What meets a limit is
    tried once more alone, with ``retry`` times the memory, seconds and processes.
    ``parallel`` targets of a run are examined at a time, by default as many as the cores
    and the free memory allow.
    Guests run as the user ids ``uid_first`` to ``uid_first + uid_count - 1``.
    ``gpu``: whether they get the device files of NVIDIA's driver, where a GPU is.
    """

    isolation: Literal["auto", "bubblewrap", "landlock"] = "auto"
    memory: ByteSize = ByteSize(4 << 30)
    processors: float = Field(default=2.0, ge=0.01)
    processes: PositiveInt = 64
    seconds: float = Field(default=900.0, gt=0)
    scratch: ByteSize = ByteSize(256 << 20)
    retry: float = Field(default=2.0, ge=1, le=16)
    parallel: PositiveInt | None = None
    gpu: Literal["auto", "never"] = "never"
    uid_first: int = Field(default=61_184, ge=1000)
    uid_count: PositiveInt = 256
    python: Path = Field(default_factory=lambda: Path(sys.executable))

    @property
    def uids(self) -> range:
        """The user ids that guests may run as."""
        return range(self.uid_first, self.uid_first + self.uid_count)


def _index(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path:
        return url
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("an index is an http, https or file address")
    if parts.username or parts.password:
        raise ValueError("an index has no secret in it: name one in credentials")
    return url


class EnvironmentSettings(_Section):
    """The ways to obtain the tested project's own environment.

    ``install``: ``auto`` takes the ``.venv`` of a developer's checkout and
    installs what the project declares where there is none; ``always``
    installs; ``never`` does not.  Wheels come from ``index``, or from where this
    machine's installer (uv, else pip) takes them; ``credentials`` is ``user:password``
    for it.  ``cpu_index`` is asked too: one with builds of frameworks for the CPU.
    ``builds`` lets packages that have no wheel be built from their source, in the
    sandbox and without a network.  Environments are kept in ``folder`` up to ``size``
    and made within ``seconds``; one may take half of ``size``, one wheel ``largest``.
    """

    install: Literal["auto", "always", "never"] = "auto"
    index: Annotated[str, AfterValidator(_index)] | None = None
    cpu_index: Annotated[str, AfterValidator(_index)] | None = None
    credentials: Reference | None = None
    builds: bool = False
    folder: Path = Field(default_factory=lambda: _state() / "environments")
    size: ByteSize = ByteSize(20 << 30)
    largest: ByteSize = ByteSize(1 << 30)
    seconds: float = Field(default=600.0, gt=0)


class EngineSettings(_Section):
    """The engine that answers the requests to one service.

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


def _folder(folder: Path) -> Path:
    described(folder)
    return folder


class CatalogueSettings(_Section):
    """Descriptions of ML APIs besides those that are shipped (docs/adding-an-api.md)."""

    folder: Annotated[Path, AfterValidator(_folder)] | None = None

    @property
    def providers(self) -> tuple[str, ...]:
        """The names of the providers that the folder describes."""
        return () if self.folder is None else described(self.folder)


class BudgetSettings(_Section):
    """The most that one run may cost, whatever its repository asks for.

    With ``other_providers`` those that are set are asked too about inputs
    that miss a branch.
    """

    other_providers: bool = False
    api_calls: int = Field(default=2000, ge=0)
    api_dollars: float = Field(default=5.0, ge=0, le=1_000_000)


class RecordingSettings(_Section):
    """The folder of recorded answers and their lifetime: per repository, by last use."""

    folder: Path = Field(default_factory=lambda: _state() / "recordings")
    size: ByteSize = ByteSize(256 << 20)
    days: PositiveInt = 90


def _contact(text: str) -> str:
    if not text.isascii() or not text.isprintable() or not ("@" in text or "://" in text):
        raise ValueError("a contact is a mail address or the address of a page")
    return text


class SourceSettings(_Section):
    """The source of inputs of one kind.

    ``folder`` is that of ``kind = "folder"``, ``key`` a service's; ``contact``
    is told to Wikimedia: a mail address or a page of the operator's.
    """

    kind: str
    endpoint: str | None = None
    key: Reference | None = None
    folder: Path | None = None
    contact: Annotated[str, AfterValidator(_contact)] | None = None


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
    github: GithubSettings = Field(default_factory=GithubSettings)
    queue: QueueSettings = QueueSettings()
    store: StoreSettings = Field(default_factory=StoreSettings)
    sandbox: SandboxSettings = Field(default_factory=SandboxSettings)
    environments: EnvironmentSettings = Field(default_factory=EnvironmentSettings)
    budget: BudgetSettings = BudgetSettings()
    catalogue: CatalogueSettings = CatalogueSettings()
    recordings: RecordingSettings = Field(default_factory=RecordingSettings)
    engines: dict[EngineName, EngineSettings] = Field(default_factory=dict[str, EngineSettings])
    sources: dict[SourceName, SourceSettings] = Field(default_factory=dict[str, SourceSettings])

    @property
    def recordings_folder(self) -> Path:
        """Return where answers of ML APIs are kept, by whose they are."""
        return self.recordings.folder

    @property
    def examining(self) -> Settings:
        """Return what an examination is told: nothing of the GitHub App."""
        kept = GithubSettings(checkouts=self.github.checkouts)
        return self.model_copy(update={"github": kept, "app": AppSettings()})

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
    """Return the settings of this process.

    From ``file``, else the file that ``ASSAYER_SETTINGS`` names, else none;
    ``ASSAYER_*`` variables come before it.  Raises ``UsageError``.
    """
    named = os.environ.get(FILE_VARIABLE)
    file = file or (Path(named) if named else None)
    known = sorted(Settings.model_fields)
    for name in os.environ:
        section, nested, _ = name.upper().removeprefix(PREFIX).partition("__")
        if name.upper().startswith(PREFIX) and nested and section.lower() not in known:
            raise UsageError(f"unknown setting; the sections are: {', '.join(known)}", key=name)
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
    parts = [str(part).replace(".", "_").upper() for part in location if part != "[key]"]
    names = {PREFIX + "__".join(parts[:length]) for length in range(1, len(parts) + 1)}
    below = PREFIX + "__".join(parts) + "__"
    variable = next(
        (name for name in os.environ if name.upper() in names or name.upper().startswith(below)),
        None,
    )
    if variable is not None:
        return UsageError(problem_sentence(error, Settings), key=variable)
    return configuration_problem(error, Settings, text, file)
