"""Files of a GPU in the sandbox, with a stand-in for them: no GPU is needed."""

import json

import pytest

from worker.executor import execution_context
from worker.executor.execution_context import guest_runtime
from worker.sandbox.command_lines import gpu_devices
from worker.sandbox.guest_limits import GPU_ADDRESS_SPACE
from worker.settings.operator_settings import Settings


@pytest.fixture
def card(public):
    found = public / "nvidia0"
    found.write_text("a card")
    found.chmod(0o666)
    return found


@pytest.mark.parametrize("given", [True, False])
def test_guests_reach_the_devices_that_they_are_given(start, isolation, tree, card, given):
    (tree / "device").write_text("/dev/nvidia0" if isolation.namespaces else str(card))
    guest = start("device", devices=(card,) if given else ())
    said = json.loads(guest.channel.receive(120)["reason"])
    assert said == ("a card" if given else "ENOENT" if isolation.namespaces else "EACCES")


def test_device_files_of_the_driver_are_found_and_nothing_else(tmp_path):
    (tmp_path / "nvidiactl").symlink_to("/dev/null")
    (tmp_path / "nvidia-notes.txt").write_text("no device")
    (tmp_path / "tty").symlink_to("/dev/null")
    assert gpu_devices(tmp_path) == (tmp_path / "nvidiactl",)


@pytest.mark.parametrize("gpu", ["auto", "never"])
def test_operator_decides_whether_guests_get_the_gpu(isolation, monkeypatch, tmp_path, card, gpu):
    monkeypatch.setattr(execution_context, "gpu_devices", lambda: (card,))
    monkeypatch.setattr(execution_context, "find_isolation", lambda *_, **__: isolation)
    place = guest_runtime(Settings(sandbox={"gpu": gpu}), trust=False)
    plan = place.launch_plan(tmp_path)
    assert plan.devices == ((card,) if gpu == "auto" else ())
    assert ("GPU (nvidia0)" in place.isolation.layers) == (gpu == "auto")
    assert (plan.limits.address_space == GPU_ADDRESS_SPACE) == (gpu == "auto")
