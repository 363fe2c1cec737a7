"""Library calls seen while code of a project runs, with real torch."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from analyzers.guest.relations.call_recording import RecordedCall, RecordingBounds, recording_calls
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.runtime import call_outcomes

PROGRAM = """\
import torch
import torch.nn.functional as F


def added(x, y):
    return (x + y).abs()


def outer(x):
    return added(
        x,
        x,
    )


def in_place(x):
    x.add_(1)
    return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def forward(self, x):
        return self.layer(x)


def loss(x, y):
    return F.huber_loss(x, y, delta=2.0)


def often(x, count):
    for _ in range(count):
        x = x.sin()
    return x


def raising(x):
    return torch.reshape(x, (7, 7))
"""


@pytest.fixture
def project(tmp_path: Path) -> dict[str, Any]:
    file = str(tmp_path / "app.py")
    text = textwrap.dedent(PROGRAM)
    call_outcomes.remember(file, text)
    names: dict[str, Any] = {"__file__": file, "__name__": "app"}
    exec(compile(text, file, "exec"), names)
    return names


def seen(project: dict[str, Any], run: Any, **more: Any) -> list[RecordedCall]:
    torch = library("torch")
    with recording_calls(torch, lambda file: file == project["__file__"], **more) as recording:
        run()
    return recording.calls


def test_operators_and_methods_have_the_deepest_frame(project: Any) -> None:
    import torch

    calls = seen(project, lambda: project["outer"](torch.ones(2)))
    assert [each.api for each in calls] == ["torch.Tensor.add", "torch.Tensor.abs"]
    assert {each.line for each in calls} == {6}
    assert {each.function for each in calls} == {"added"}


def test_values_are_those_before_the_call(project: Any) -> None:
    import torch

    x = torch.zeros(2)
    (call,) = seen(project, lambda: project["in_place"](x))
    assert call.live is not None
    assert call.given is not None
    assert call.live.arguments[0].tolist() == [0.0, 0.0]
    assert call.given.arguments[0] is x
    assert x.tolist() == [1.0, 1.0]
    assert call.live.run().tolist() == [1.0, 1.0]


def test_calls_inside_layers_are_seen(project: Any) -> None:
    import torch

    net = project["Net"]()
    calls = seen(project, lambda: net(torch.ones(1, 2)))
    assert [each.api for each in calls] == ["torch.nn.functional.linear"]
    assert calls[0].function == "Net.forward"


def test_defaults_that_wrappers_add_are_left_out(project: Any) -> None:
    import torch

    (call,) = seen(project, lambda: project["loss"](torch.ones(1), torch.ones(1)))
    assert call.live is not None
    assert call.live.keywords == {"delta": 2.0}


def test_numbers_of_calls_are_bounded(project: Any) -> None:
    import torch

    def run() -> None:
        project["often"](torch.ones(1), 50)

    assert len(seen(project, run, bounds=RecordingBounds(a_site=3))) == 3
    assert len(seen(project, run, bounds=RecordingBounds(most=2))) == 2
    assert seen(project, run, bounds=RecordingBounds(frozenset({"torch.lcm"}))) == []


def test_large_values_are_not_kept(project: Any) -> None:
    import torch

    (call,) = seen(
        project, lambda: project["often"](torch.ones(11), 1), bounds=RecordingBounds(elements=10)
    )
    assert (call.live, call.given) == (None, None)


def test_calls_of_others_are_not_seen(project: Any) -> None:
    import torch

    assert seen(project, lambda: torch.lcm(torch.tensor(6), torch.tensor(4))) == []


def test_what_is_in_flight_is_told(project: Any) -> None:
    import torch

    told: list[str | None] = []

    def watch(call: RecordedCall | None) -> None:
        told.append(None if call is None else call.api)

    def run() -> None:
        with pytest.raises(RuntimeError):
            project["raising"](torch.ones(2))

    seen(project, run, watch=watch)
    assert told == ["torch.reshape", None]
