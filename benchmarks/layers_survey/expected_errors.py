"""Which parameters torch's own tests of wrong arguments are about, and what they expect."""

from __future__ import annotations

import inspect
import re
from typing import Any

import torch

from analyzers.guest.relations.torch_library import valid_calls

from .constructor_reading import example_arguments
from .survey_models import Subject

Expected = dict[str, list[tuple[float, str]]]


def expected(subject: Subject) -> Expected:
    """For a parameter the wrong values that a test gives it, and the words of the error."""
    found: Expected = {}
    short = subject.name.rpartition(".")[2]
    for info in valid_calls.moduleinfo_database():
        if info.module_cls is not getattr(torch.nn, short, None):
            continue
        for each in _inputs(info):
            _add(found, subject, each)
    return found


def _inputs(info: Any) -> Any:
    if info.module_error_inputs_func is None:
        return ()
    return info.module_error_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
    )


def _add(found: Expected, subject: Subject, each: Any) -> None:
    made = each.module_error_input.constructor_input
    arguments = example_arguments(subject, made.args, made.kwargs) or {}
    text = inspect.cleandoc(re.sub(r"\\(.)", r"\1", each.error_regex))
    for name, value in arguments.items():
        if isinstance(value, (int, float)) and re.search(rf"\b{re.escape(name)}\b", text):
            found.setdefault(name, []).append((float(value), text[:200]))
