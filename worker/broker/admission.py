"""What hostile code may ask at all, in the one form in which it is asked and recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from analyzers.catalogue.places import forgotten_by
from analyzers.catalogue.terms import Terms, terms
from analyzers.vocabulary import Json, JsonObject
from worker.engines import ApiRequest, NoAnswer

_EMPTY: tuple[Json, ...] = (None, "", [])


def admitted(api: object, request: ApiRequest, apis: AbstractSet[str]) -> ApiRequest:
    """The question in canonical form: equal ones are equal in every part.

    What the code sends beside a file or a text (where the file lies) is left
    out, as engines leave it out; so are parameters that say what is the
    default, and whole numbers are integers.

    Raises:
        NoAnswer: not one of ``apis``, nothing asked, or more or other than
            the provider takes.

    """
    if not isinstance(api, str) or api not in apis:
        raise NoAnswer(f"{str(api)[:80]!r} is no API of the catalogue")
    known = terms(api)
    asked = replace(
        request,
        uri=request.uri or None if request.content is None and request.text is None else None,
        parameters=_canonical(request.parameters, known.parameters),
    )
    if asked.content is None and asked.text is None and asked.uri is None:
        raise NoAnswer(f"{api} was asked nothing")
    _refuse_sizes(api, asked, known)
    if known.parameters is not None:
        _refuse_parameters(api, asked.parameters)
    return asked


def _refuse_sizes(api: str, request: ApiRequest, known: Terms) -> None:
    length = len(request.text.encode("utf-8", "surrogatepass")) if request.text else 0
    for part, name, size, most in (
        ("content", "file", len(request.content or b""), known.content),
        ("text", "text", length, known.text),
        ("uri", "address", 0, 0),
    ):
        if getattr(request, part) is not None and part not in known.takes:
            raise NoAnswer(f"{api} takes no {name}")
        if size > most:
            raise NoAnswer(f"{api} takes a {name} of at most {most} bytes, and was sent {size}")


def _refuse_parameters(api: str, parameters: JsonObject) -> None:
    error = next(iter(_validator(api).iter_errors(parameters)), None)
    if error is not None:
        place = ".".join(map(str, error.absolute_path)) or "parameters"
        raise NoAnswer(f"{api} was asked with {place} that it does not take ({error.validator})")


@cache
def _validator(api: str) -> Draft202012Validator:
    return Draft202012Validator(
        {
            "type": "object",
            "properties": {
                name: dict(spec) for name, spec in (terms(api).parameters or {}).items()
            },
            "additionalProperties": False,
        }
    )


forgotten_by(_validator.cache_clear)


def _canonical(
    parameters: JsonObject, described: Mapping[str, Mapping[str, Any]] | None
) -> JsonObject:
    defaults = {name: spec.get("default") for name, spec in (described or {}).items()}
    return {
        name: value
        for name, given in sorted(parameters.items())
        if (value := _plain(given)) is not None
        and not (described is not None and value in (*_EMPTY, defaults.get(name)))
    }


def _plain(value: Json) -> Json:
    """Whole floats as integers, at every depth."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in sorted(value.items())}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
