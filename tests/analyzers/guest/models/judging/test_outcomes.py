"""Executions are guarded from each other, whatever they do."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from analyzers.guest.models.executions.execution_registry import EXECUTIONS, register
from analyzers.guest.models.judging.isolated_runs import PreparedModel, run_in_process, run_isolated
from analyzers.guest.models.model_types import ModelUnderTest, Unsupported
from analyzers.guest.runtime import time_limits
from tests.analyzers.guest.models.small import model_of, numbers, small_network


class Foreign:
    """An execution that does something to its process."""

    name = "foreign"
    eps = 2.0**-23
    foreign = True

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run

    def unavailable(self) -> str | None:
        return None

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        return self._run


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    yield
    EXECUTIONS.pop("foreign", None)


def came_of(run: Callable[..., Any], seconds: float = 60.0) -> tuple[str, str]:
    register(Foreign(run))
    found = run_isolated(small_network(), ["foreign"], seconds)["foreign"]
    return found.status, found.detail


def test_eager_and_the_reference_are_always_there() -> None:
    assert set(run_isolated(small_network(), [])) == {"eager", "float64"}


def test_unknown_executions_are_errors() -> None:
    with pytest.raises(KeyError):
        run_isolated(small_network(), ["nobody"])


def test_segmentation_faults_are_outcomes() -> None:
    status, detail = came_of(lambda *_: os.kill(os.getpid(), signal.SIGSEGV))
    assert (status, detail) == ("died", "killed by SIGSEGV")


def test_processes_that_leave_are_outcomes() -> None:
    assert came_of(lambda *_: os._exit(3)) == ("died", "left with status 3")


def test_endless_executions_are_stopped() -> None:
    assert came_of(lambda *_: time.sleep(600), seconds=0.5)[0] == "timed-out"


def test_what_stopped_processes_leave_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def has_started() -> bool:
        return any(each.read_text(encoding="ascii") for each in tmp_path.rglob("started"))

    clock = SimpleNamespace(now=lambda: 600.0 * has_started())
    monkeypatch.setattr(time_limits, "clock_of", lambda _: clock)

    def run(*_: Any) -> None:
        started = subprocess.Popen(["sleep", "600"])
        Path(tempfile.mkdtemp(), "started").write_text(str(started.pid), encoding="ascii")
        time.sleep(600)

    register(Foreign(run))
    with PreparedModel(small_network(), ["foreign"]) as prepared:
        outcome = prepared.outcomes((), {})["foreign"]
        pid = int(next(tmp_path.rglob("started")).read_text(encoding="ascii"))
    assert outcome.status == "timed-out"
    assert list(tmp_path.iterdir()) == []
    assert has_ended(pid)


def has_ended(pid: int) -> bool:
    """Whether a process ends within 30 s; one that nobody has waited for has ended, too."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        status = Path(f"/proc/{pid}/stat")
        if not status.exists() or status.read_text(encoding="ascii").split()[2] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_errors_are_told_with_their_first_line() -> None:
    def run(*_: Any) -> None:
        raise ValueError("\x1b[96mfirst\x1b[0m\nsecond")

    assert came_of(run) == ("raised", "ValueError: first")


def test_refusals_are_no_errors() -> None:
    def run(*_: Any) -> None:
        raise Unsupported("not this one")

    assert came_of(run) == ("unsupported", "not this one")


def test_kernels_without_a_dtype_are_no_errors() -> None:
    def run(*_: Any) -> None:
        raise RuntimeError("\"addmm_impl_cpu_\" not implemented for 'Half'")

    assert came_of(run)[0] == "unsupported"


def test_output_of_foreign_processes_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    came_of(lambda *_: os.write(2, b"noise"))
    assert capfd.readouterr().err == ""


def test_prepared_once_for_many_inputs() -> None:
    made: list[int] = []

    class Counting(Foreign):
        foreign = False

        def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
            made.append(1)
            return model.module  # type: ignore[no-any-return]

    register(Counting(print))
    model = small_network()
    with PreparedModel(model, ["foreign", "onnxruntime-torchscript"]) as prepared:
        for seed in range(3):
            found = prepared.outcomes((numbers(2, 2, 6, 6, seed=seed),), {})
            assert (
                abs(found["onnxruntime-torchscript"].outputs[0] - found["eager"].outputs[0]).max()
                < 1e-5
            )
    assert made == [1]


def test_nothing_runs_after_it_is_closed() -> None:
    register(Foreign(lambda *_: time.sleep(600)))
    before = children()
    with PreparedModel(small_network(), ["foreign"]):
        assert children() - before
    assert children() <= before


def children() -> set[str]:
    """The processes that this one has started and not waited for."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_lazy_layers_are_exported_with_their_sizes() -> None:
    model = ModelUnderTest(torch.nn.LazyLinear(2).eval(), (numbers(3, 4),))
    found = run_isolated(model, ["onnxruntime-torchscript"])
    assert found["onnxruntime-torchscript"].status == "returned"


def test_quick_gives_the_same_in_one_process() -> None:
    names = ["onednn-off", "decompositions", "onnxruntime-torchscript"]
    found, guarded = (run(small_network(), names) for run in (run_in_process, run_isolated))
    assert found.keys() == guarded.keys()
    for name, outcome in found.items():
        assert (outcome.outputs[0] == guarded[name].outputs[0]).all()


def test_random_numbers_of_the_caller_go_on() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    run_in_process(model_of(torch.rand_like, numbers(3)), [])
    assert torch.equal(torch.rand(2), expected)
