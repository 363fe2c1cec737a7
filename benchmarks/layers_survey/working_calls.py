"""A call of a layer that works: of our own, or of torch's test data with larger inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import torch

from analyzers.guest.relations.torch_library import valid_calls

from . import trial_calls
from .constructor_reading import example_arguments
from .own_examples import CALLS, OPTIMIZER
from .survey_models import Example, Subject

_MOST_CANDIDATES = 24
_SPACE = 12
_VOLUME = 6
_MOST_WRITTEN = 16


def example(subject: Subject) -> Example | None:
    """The first candidate that gives finite values forwards and backwards."""
    candidates = [*_own(subject), *_tested(subject)]
    for arguments, sources in candidates:
        for larger in _enlarged(sources):
            kept = _kept(subject.name, arguments, larger)
            if kept is not None:
                return Example(arguments, larger, kept)
    return None


def _own(subject: Subject) -> list[tuple[dict[str, str], tuple[str, ...]]]:
    if subject.name.startswith("torch.optim."):
        return [OPTIMIZER]
    return [CALLS[_short(subject)]] if _short(subject) in CALLS else []


def _short(subject: Subject) -> str:
    return subject.name.rpartition(".")[2]


def _tested(subject: Subject) -> list[tuple[dict[str, str], tuple[str, ...]]]:
    """Calls of torch's test data that can be written, those with the fewest arguments first."""
    found = list(islice(_written(subject), _MOST_CANDIDATES))
    return sorted(found, key=lambda call: (len(call[0]), -sum(map(len, call[1]))))


def _written(subject: Subject) -> Iterator[tuple[dict[str, str], tuple[str, ...]]]:
    for each in _samples(_short(subject)):
        made, given = each.constructor_input, each.forward_input
        arguments = example_arguments(subject, made.args, made.kwargs)
        if arguments is None or given is None or given.kwargs:
            continue
        texts = {name: source(value) for name, value in arguments.items()}
        sources = [source(value) for value in given.args]
        if None not in texts.values() and None not in sources:
            yield (
                {name: text for name, text in texts.items() if text is not None},
                tuple(text for text in sources if text is not None),
            )


def _samples(name: str) -> Iterator[Any]:
    for info in valid_calls.moduleinfo_database():
        if info.module_cls is getattr(torch.nn, name, None):
            torch.manual_seed(0)
            yield from info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
            )


def source(value: Any) -> str | None:
    """The source of a value, or of one like it; ``None`` for what has none."""
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        items = [source(item) for item in value]
        if None in items:
            return None
        return repr(type(value)(eval(item, {"torch": torch}) for item in items if item))
    return None


def _tensor(value: Any) -> str | None:
    shape = tuple(value.shape)
    if value.dtype is torch.bool:
        return f"torch.ones({shape}, dtype=torch.bool)"
    if value.dtype is torch.int64:
        return _whole(value)
    return _real(value) if value.dtype is torch.float32 and value.numel() else None


def _whole(value: Any) -> str:
    if value.numel() <= _MOST_WRITTEN:
        return f"torch.tensor({value.tolist()})"
    return f"torch.randint({int(value.min())}, {int(value.max()) + 1}, {tuple(value.shape)})"


def _real(value: Any) -> str:
    shape = tuple(value.shape)
    if bool((value >= 0).all()) and bool((value <= 1).all()):
        return f"torch.rand({shape})"
    if bool((value <= 0).all()) and value.ndim > 1:
        return f"torch.randn({shape}).log_softmax(-1)"
    return f"torch.randn({shape})"


def _enlarged(sources: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Inputs with more room for windows, then as they are."""
    shapes = [_shape(each) for each in sources]
    if all(shape is not None and len(shape) in (3, 4, 5) for shape in shapes):
        yield tuple(
            each.replace(str(shape), str(_larger(shape)))
            for each, shape in zip(sources, shapes, strict=False)
            if shape is not None
        )
    yield sources


def _larger(shape: Sequence[int]) -> tuple[int, ...]:
    room = _VOLUME if len(shape) == 5 else _SPACE
    return (*shape[:2], *(max(size, room) for size in shape[2:]))


def _shape(text: str) -> tuple[int, ...] | None:
    if not text.startswith(("torch.rand(", "torch.randn(")):
        return None
    shape = eval(text[text.index("(") + 1 :].partition(")")[0] + ")")
    return shape if isinstance(shape, tuple) else None


def _kept(name: str, arguments: dict[str, str], sources: tuple[str, ...]) -> bool | None:
    """Whether the call keeps its input's shape; ``None`` where it does not work."""
    try:
        given = trial_calls.inputs(sources)
        result = trial_calls.forwarded(trial_calls.constructed(name, arguments), given)
        trial_calls.backwarded(result)
    except trial_calls.Refused:
        return None
    found = trial_calls.floats(result)
    if not found or not all(bool(torch.isfinite(each).all()) for each in found):
        return None
    shape = getattr(given[0], "shape", None) if given else None
    return isinstance(result, torch.Tensor) and result.shape == shape
