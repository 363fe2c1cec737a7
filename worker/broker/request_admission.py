"""Admission of hostile code's requests, in the one form in which they are asked and recorded."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from analyzers.catalogue.api_catalogue import provider_limits
from analyzers.catalogue.api_descriptions import register_cache
from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import ApiRequest, NoAnswer

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

MICRO = 1_000_000


class ApiBudget:
    """Counts a run's calls and list price, failed ones too; safe for several threads."""

    def __init__(self, calls: int | None = None, dollars: float | None = None) -> None:
        self._most_calls = calls
        self._most = None if dollars is None else round(dollars * MICRO)
        self._lock = threading.Lock()
        self._calls = 0
        self._spent = 0
        self._refusals: defaultdict[int, list[str]] = defaultdict(list)

    @property
    def refusals(self) -> tuple[str, ...]:
        """Return why calls of this thread were refused, in order."""
        with self._lock:
            return tuple(self._refusals[threading.get_ident()])

    @property
    def calls(self) -> int:
        """The questions that went to engines."""
        with self._lock:
            return self._calls

    @property
    def dollars(self) -> float:
        """Return what they cost by list price."""
        with self._lock:
            return self._spent / MICRO

    def spend(self, api: str, cost: int | None) -> None:
        """Take one call of ``cost`` micro-dollars, or raise ``NoAnswer``."""
        with self._lock:
            refusal = self._refusal(api, cost)
            if refusal is not None:
                self._refusals[threading.get_ident()].append(refusal)
                raise NoAnswer(refusal)
            self._calls += 1
            self._spent += cost or 0

    def _refusal(self, api: str, cost: int | None) -> str | None:
        if self._most_calls is not None and self._calls >= self._most_calls:
            return f"the budget of {self._most_calls} API calls is spent ({api})"
        if self._most is not None and cost is None:
            provider = api.rpartition(".")[0]
            return f'nobody knows what {api} costs: set [engines."{provider}"] price (dollars)'
        if self._most is not None and self._spent + (cost or 0) > self._most:
            return (
                f"the budget of ${self._most / MICRO:g} for API calls does not suffice:"
                f" ${self._spent / MICRO:g} is spent, {api} costs ${(cost or 0) / MICRO:g}"
            )
        return None

    def refund(self, cost: int | None) -> None:
        """Give back what was taken for a question that did not leave."""
        with self._lock:
            self._calls -= 1
            self._spent -= cost or 0


_EMPTY: tuple[Json, ...] = (None, "", [])


def admit_request(api: object, request: ApiRequest, apis: AbstractSet[str]) -> ApiRequest:
    """Return the question in canonical form: equal ones are equal in every part.

    An address beside content, defaults and whole floats' fractions go.  Raises ``NoAnswer``.
    """
    if not isinstance(api, str) or api not in apis:
        raise NoAnswer(f"{str(api)[:80]!r} is no API of the catalogue")
    known = provider_limits(api)
    asked = replace(
        request,
        uri=request.uri or None if request.content is None and request.text is None else None,
        parameters=_canonical(request.parameters, known.parameters),
    )
    if asked.content is None and asked.text is None and asked.uri is None:
        raise NoAnswer(f"{api} was asked nothing")
    length = len(asked.text.encode("utf-8", "surrogatepass")) if asked.text else 0
    for part, name, size, most in (
        ("content", "file", len(asked.content or b""), known.content),
        ("text", "text", length, known.text),
        ("uri", "address", 0, 0),
    ):
        if getattr(asked, part) is not None and part not in known.takes:
            raise NoAnswer(f"{api} takes no {name}")
        if size > most:
            raise NoAnswer(f"{api} takes a {name} of at most {most} bytes, and was sent {size}")
    if known.parameters is not None:
        error = next(iter(_validator(api).iter_errors(asked.parameters)), None)
        if error is not None:
            place = ".".join(map(str, error.absolute_path)) or "parameters"
            raise NoAnswer(
                f"{api} was asked with {place} that it does not take ({error.validator})"
            )
    return asked


@cache
def _validator(api: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a check that asks none is quick

    return Draft202012Validator(
        {
            "type": "object",
            "properties": {
                name: dict(spec) for name, spec in (provider_limits(api).parameters or {}).items()
            },
            "additionalProperties": False,
        }
    )


register_cache(_validator.cache_clear)


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
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in sorted(value.items())}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
