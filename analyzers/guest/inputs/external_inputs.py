"""Inputs from outside of the code while it runs: files, typed text, a camera, a request."""

from __future__ import annotations

import argparse
import builtins
import contextlib
import io
import json
import os
import sys
from types import GeneratorType
from typing import (
    Any,
    Callable,
    ContextManager,
    Dict,
    Generator,
    Iterable,
    List,
    Mapping,
    Optional,
    Union,
)

from ..protocol import input_paths
from ..protocol.argument_decoding import Upload
from ..runtime import assumptions
from ..runtime.standins import Inert, InertModule
from . import project_files, streamlit_page

_SENT = ("files", "form", "json", "data", "values", "FILES", "POST", "body")


class RequestFields(assumptions.SelfGiving, Dict[str, Any]):
    """Named values, the last of each name; called or awaited they give themselves.

    Of a word in them a run may assume what the code compares it with.
    """

    def __getitem__(self, name: str) -> Any:
        return _typed(super().__getitem__(name))

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name, or a default."""
        return _typed(super().get(name, default))

    def getlist(self, name: str) -> List[Any]:
        """All values of a name."""
        return [self[name]] if name in self else []

    getall = getlist


def _typed(value: Any) -> Any:
    is_word = type(value) is str and len(value) < assumptions.LONGEST_WORD
    return TypedWord(value) if is_word and assumptions.is_assuming() else value


class RequestBody(assumptions.SelfGiving, bytes):
    """The body of a request as it was sent; a call or an await returns it."""


class WebRequest(Inert):
    """A request with the given fields; everything else about it is inert."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__("request")
        self.__dict__["_assayer_given"] = fields
        form = _fields(fields, "form", "POST", "values")
        files = _fields(fields, "files", "FILES")
        query = _fields(fields, "args", "GET")
        document = _document(fields, form)
        body = _body(fields, document)
        self.__dict__.update(
            {
                "method": fields.get("method") or _method(fields),
                "files": files,
                "FILES": files,
                "form": RequestFields({**form, **files}),
                "POST": form,
                "args": query,
                "GET": query,
                "query_params": query,
                "values": RequestFields({**query, **form}),
                "json": document,
                "is_json": "json" in fields,
                "get_json": _giving(document),
                "data": fields["data"] if isinstance(fields.get("data"), dict) else body,
                "body": body,
                "get_data": _giving(body),
                "headers": RequestFields(),
            }
        )


def _giving(value: Any) -> Callable[..., Any]:
    """A method that returns a value, as text where text is asked for."""

    def give(**options: Any) -> Any:
        return value.decode() if options.get("as_text") else value

    return give


def _fields(fields: Mapping[str, Any], *names: str) -> RequestFields:
    found = RequestFields()
    for name in names:
        given = fields.get(name)
        found.update(given if isinstance(given, dict) else {})
    return found


def _document(fields: Mapping[str, Any], form: RequestFields) -> Any:
    given = fields.get("json", fields.get("data"))
    if isinstance(given, dict):
        return RequestFields(given)
    return form if given is None or isinstance(given, (str, bytes)) else given


def _body(fields: Mapping[str, Any], document: Any) -> RequestBody:
    given = fields.get("body", fields.get("data"))
    if isinstance(given, str):
        return RequestBody(given.encode())
    if isinstance(given, (bytes, bytearray)):
        return RequestBody(given)
    return RequestBody(json.dumps(document, default=str).encode())


def _method(fields: Mapping[str, Any]) -> str:
    return "POST" if any(name in fields for name in _SENT) else "GET"


# ------------------------------------------------------------------- Flask


def flask_request(value: Any, namespace: Mapping[str, Any]) -> ContextManager[Any]:
    """Bind Flask's request to ``value`` within the context; to an empty one otherwise."""
    fields = value.__dict__["_assayer_given"] if isinstance(value, WebRequest) else {}
    module: Any = sys.modules.get("flask")
    if module is None:
        return contextlib.nullcontext()
    if isinstance(module, InertModule):
        given = _standing_in(module.request, WebRequest(fields))
        return given if fields else contextlib.nullcontext()
    apps = [value for value in list(namespace.values()) if type(value) is module.Flask]
    app = apps[0] if apps else module.Flask("app")
    context: ContextManager[Any] = app.test_request_context(**_environment(fields))
    return context


def _environment(fields: Mapping[str, Any]) -> Dict[str, Any]:
    given: Dict[str, Any] = {
        "method": fields.get("method") or _method(fields),
        "query_string": dict(_fields(fields, "args")),
    }
    if "json" in fields:
        return {**given, "json": fields["json"]}
    if isinstance(fields.get("data"), (bytes, str)):
        return {**given, "data": fields["data"]}
    form = dict(_fields(fields, "form", "values"))
    form.update({name: _sent(file) for name, file in _fields(fields, "files").items()})
    return {**given, "data": form}


def _sent(file: Any) -> Any:
    return (file, file.filename) if isinstance(file, Upload) else file


@contextlib.contextmanager
def _standing_in(request: Any, given: WebRequest) -> Generator[None, None, None]:
    before = dict(request.__dict__)
    request.__dict__.update(given.__dict__)
    try:
        yield
    finally:
        request.__dict__.clear()
        request.__dict__.update(before)


# ------------------------------------------------------------------ Django


def settle_django() -> None:
    """Let Django, with stand-ins for models, answer without the project's settings."""
    settings = getattr(sys.modules.get("django.conf"), "settings", None)
    named = "DJANGO_SETTINGS_MODULE" in os.environ
    if settings is not None and not named and getattr(settings, "configured", None) is False:
        settings.configure(ALLOWED_HOSTS=["*"], SECRET_KEY="none")


FRAMES = 2
_shown: Any = None
_left = 0
_asked = False


def camera_wanted() -> bool:
    """Return whether the code has looked through a camera while none showed an input."""
    return _asked


@contextlib.contextmanager
def camera_showing(picture: Any) -> Generator[None, None, None]:
    """Let every camera show a picture, for a few frames."""
    global _shown, _left
    _shown, _left = picture, FRAMES
    try:
        yield
    finally:
        _shown = None


def _is_shown() -> bool:
    global _asked
    _asked = _asked or _shown is None
    return _shown is not None


def _frame() -> Any:
    global _left
    if _left == 0:
        return False, None
    _left -= 1
    return True, _shown.copy() if hasattr(_shown, "copy") else _shown


def patch_camera(module: Any) -> None:
    """Let a capture show the input, where a run has one."""
    original: Any = module.VideoCapture

    class VideoCapture:
        def __init__(self, *args: Any) -> None:
            self._capture = original(*args)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.__dict__["_capture"], name)

        def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
            return _left > 0 if _is_shown() else bool(self._capture.isOpened())

        def read(self, *args: Any) -> Any:
            return _frame() if _is_shown() else self._capture.read(*args)

        def grab(self) -> bool:
            return _left > 0 if _is_shown() else bool(self._capture.grab())

        def retrieve(self, *args: Any) -> Any:
            return _frame() if _is_shown() else self._capture.retrieve(*args)

    module.VideoCapture = VideoCapture


MOST_LINES = 20


def object_with(fields: Mapping[str, Any]) -> Any:
    """An object with these attributes: a request, where they are a request's."""
    if input_paths.WEB & fields.keys():
        return WebRequest(fields)
    made = Inert()
    made.__dict__.update(fields)
    return made


BUILDER = input_paths.ValueBuilder(list, RequestFields, object_with, Inert("element"))


def external_inputs(values: Mapping[str, Any], namespace: Mapping[str, Any]) -> ContextManager[Any]:
    """Put values at the roots outside; a file's value is the path of the file to open instead."""
    return _world(values, namespace) if values else contextlib.nullcontext()


@contextlib.contextmanager
def _world(values: Mapping[str, Any], namespace: Mapping[str, Any]) -> Generator[None, None, None]:
    with contextlib.ExitStack() as stack:
        for root, value in values.items():
            stack.enter_context(_standing(root, value, namespace))
        yield


def _standing(root: str, value: Any, namespace: Mapping[str, Any]) -> ContextManager[Any]:
    path = input_paths.parse(root).file
    if path is not None:
        return project_files.file_placed(path, value)
    if root == input_paths.REQUEST:
        return flask_request(value, namespace)
    return _WORLDS[root](value)


def _typed_in(value: Any) -> ContextManager[Any]:
    return typed_text(value if isinstance(value, (list, GeneratorType)) else str(value))


class TypedWord(assumptions.AssumedWord):
    """A typed word: a number where one is wanted, and equal to what is assumed of it."""

    __slots__ = ()
    _name = "input()"

    def __int__(self) -> int:
        return int(str(self)) if str(self).strip().lstrip("-").isdigit() else 1

    def __float__(self) -> float:
        try:
            return float(str(self))
        except ValueError:
            return 1.0

    def __getitem__(self, key: Any) -> str:
        return TypedWord(super().__getitem__(key))

    def lower(self) -> str:
        """The word in lower case."""
        return TypedWord(super().lower())

    def upper(self) -> str:
        """The word in upper case."""
        return TypedWord(super().upper())

    def strip(self, chars: Optional[str] = None, /) -> str:
        """The word without spaces around it."""
        return TypedWord(super().strip(chars))


@contextlib.contextmanager
def _assumed(given: Any) -> Generator[None, None, None]:
    """Assume answers of libraries and services, of a person at the keyboard, and options."""
    content = given.get(assumptions.CONTENT) if isinstance(given, dict) else None
    text = content if isinstance(content, str) else "1"
    with assumptions.assuming(given), typed_text(text):
        parse = argparse.ArgumentParser.parse_known_args
        wrapped: Any = _with_options(parse, text)
        argparse.ArgumentParser.parse_known_args = wrapped  # type: ignore[method-assign]
        try:
            yield
        finally:
            argparse.ArgumentParser.parse_known_args = parse  # type: ignore[method-assign]


def _with_options(parse: Callable[..., Any], text: str) -> Callable[..., Any]:
    """Let a command line have the options that its parser insists on, and those assumed."""

    def parse_known_args(parser: Any, args: Any = None, namespace: Any = None) -> Any:
        if args is None:
            args = [word for action in parser._actions for word in _words(action, text)]
        return parse(parser, args, namespace)

    return parse_known_args


def _words(action: Any, text: str) -> List[str]:
    switches, given = action.option_strings, action.nargs != 0
    if action.default == argparse.SUPPRESS:
        return []
    wanted = action.required and (switches or action.nargs not in ("?", "*"))
    if not wanted and not (switches and assumptions.truth(f"option {switches[-1]}", default=False)):
        return []
    value = next(iter(action.choices)) if action.choices else text
    value = value if action.type in (None, str) or action.choices else "1"
    count = action.nargs if isinstance(action.nargs, int) else 1
    return [*switches[-1:], *([str(value)] * (count if given else 0))]


@contextlib.contextmanager
def typed_text(typed: Union[str, Iterable[str]]) -> Generator[None, None, None]:
    """Standard input: the text, and for each of a few questions the text again; or answers."""
    answers = iter([typed] * MOST_LINES if isinstance(typed, str) else typed)
    lines = [typed] if isinstance(typed, str) else typed if isinstance(typed, list) else []

    def asked(prompt: object = "") -> str:
        del prompt
        for answer in answers:
            return TypedWord(answer) if type(answer) is str else answer
        raise EOFError("nothing more is typed")

    text = "".join(f"{line}\n" for line in lines)
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    question, builtins.input = builtins.input, asked
    try:
        yield
    finally:
        sys.stdin, builtins.input = before, question


@contextlib.contextmanager
def _started_with(given: Iterable[Any]) -> Generator[None, None, None]:
    before = sys.argv
    sys.argv = [before[0], *(TypedWord(each) for each in list(given)[1:])]
    try:
        yield
    finally:
        sys.argv = before


_WORLDS: Dict[str, Callable[[Any], ContextManager[Any]]] = {
    input_paths.INPUT: _typed_in,
    input_paths.ARGUMENTS: _started_with,
    input_paths.CAMERA: camera_showing,
    input_paths.SERVICE: _assumed,
    input_paths.PAGE: streamlit_page.page_shown,
}
