"""A page of Streamlit without its server: what a person enters there, its state and its secrets."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path
from typing import Any, Dict, Generator, Mapping, Sequence

from ..protocol.argument_decoding import uploaded
from ..runtime import assumptions, standins

STATE = "session_state"
LONGEST_LABEL = 40
TEXTS = ("chat_input", "text_area", "text_input")
FILES = ("audio_input", "camera_input", "file_uploader")
SWITCHES = ("button", "checkbox", "form_submit_button", "toggle")
ENDS = ("experimental_rerun", "rerun", "stop", "switch_page")
_NAMES = {"camera_input": "picture.png", "audio_input": "sound.wav"}
_WRITABLE = ("pdf", "txt", "md", "png", "jpg", "jpeg", "csv", "json", "wav")


class PageEnded(BaseException):
    """The page stops here, or begins anew; as with Streamlit's own, few handlers catch it."""


class Page:
    """The values that a person enters, by widget (``button Send``), and the state at first."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self.state: Any = values.get(STATE, {})

    def entered(self, widget: str, kind: str, shown: Any) -> Any:
        """Return what is entered into a widget (``text``, ``file``, ``bool``), or ``shown``."""
        del kind
        return self._values.get(widget, shown)


class _State(Dict[str, Any]):
    """The state of a session: what the code has set, and what a page begins with."""

    def __missing__(self, key: str) -> Any:
        self[key] = _page.state[key]
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in _page.state

    def get(self, key: str, default: Any = None) -> Any:
        """Return what is kept under a key, or a default."""
        found = key in self
        return self[key] if found else default

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        self.pop(name, None)


class _Secret(standins.InertText):
    """A secret, or a section of several: each is the text itself."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self if isinstance(key, str) else super().__getitem__(key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self


class _Secrets:
    """The secrets of the project where it has a file of them, else made-up ones."""

    def __init__(self, real: Any) -> None:
        self.__dict__["_real"] = real

    def __getitem__(self, key: str) -> Any:
        try:
            return self.__dict__["_real"][key]
        except Exception:
            return _Secret(standins.made_up_variable(f"streamlit.secrets[{key!r}]", str(key)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a secret; without a default, or where code needs it, it is made up."""
        return self[key] if default in (None, "") or assumptions.is_needed(key) else default


_state = _State()
_page: Any = Page({})


def patch_streamlit(module: Any) -> None:
    """Let widgets give what a run enters, and a page end as it does behind a server."""
    generator: Any = module.delta_generator.DeltaGenerator
    for name in (*TEXTS, *FILES, *SWITCHES):
        for owner in (generator, module):
            if hasattr(owner, name):
                made = _widget(name, getattr(owner, name), is_method=owner is generator)
                setattr(owner, name, made)
    for name in ENDS:
        if hasattr(module, name):
            setattr(module, name, _end)
    module.session_state = _state
    module.secrets = _Secrets(module.secrets)


def _end(*args: Any, **options: Any) -> None:
    del args, options
    raise PageEnded


def _widget(name: str, original: Any, *, is_method: bool) -> Any:
    @functools.wraps(original)
    def widget(*args: Any, **options: Any) -> Any:
        shown, key = original(*args, **options), options.get("key")
        if isinstance(key, str) and dict.__contains__(_state, key):
            return _state[key]
        label = [*args[is_method:], options.get("label"), options.get("placeholder"), ""]
        said = " ".join(str(next(filter(None, label), "")).split())[:LONGEST_LABEL]
        value = _entered(name, f"{name} {said}".strip(), shown, options)
        if isinstance(key, str):
            _state[key] = value
        return value

    return widget


def _entered(name: str, widget: str, shown: Any, options: Mapping[str, Any]) -> Any:
    if name in FILES:
        taken = options.get("type") or ()
        path = _page.entered(widget, "file", _file_name(name, taken))
        return shown if path is None else _upload(path, several=isinstance(shown, list))
    if name in TEXTS:
        return shown if shown else _page.entered(widget, "text", shown)
    return _page.entered(widget, "bool", shown)


def _file_name(name: str, taken: Any) -> str:
    """Return a name of a file that the widget takes."""
    endings: Sequence[str] = [taken] if isinstance(taken, str) else list(taken)
    bare = [str(each).lower().lstrip(".") for each in endings]
    ending = next((each for each in bare if each in _WRITABLE), "txt")
    return _NAMES.get(name, f"file.{ending}")


def _upload(path: Any, *, several: bool) -> Any:
    file = Path(str(path))
    upload = uploaded(file.read_bytes(), file.suffix, file.stem)
    return [upload] if several else upload


@contextlib.contextmanager
def page_shown(entered: Any) -> Generator[None, None, None]:
    """Show a page anew for one run; ``entered`` is a :class:`Page`, its values, or nothing."""
    global _page
    before, _page = _page, Page(entered or {}) if isinstance(entered or {}, dict) else entered
    dict.clear(_state)
    try:
        with contextlib.suppress(PageEnded):
            yield
    finally:
        _page = before
