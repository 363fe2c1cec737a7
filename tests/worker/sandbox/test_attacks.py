import os
from pathlib import Path

import pytest

from tests.worker.sandbox.unhindered import unhindered
from worker.cli import machine_checks
from worker.sandbox import attacks
from worker.sandbox.attack_battery import (
    file_attacks,
    kernel_attacks,
    network_attacks,
    process_attacks,
)
from worker.sandbox.attack_battery.lasting_attacks import HOLDING, STAYING
from worker.sandbox.attack_battery.main import ATTACKS, _outcome
from worker.sandbox.attacks import ZYGOTE, AttackResult, run_battery
from worker.sandbox.canaries import canaries
from worker.sandbox.isolation import TRUSTED, IsolationUnavailable

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user may not do it anyway")
NOT_IN_EVERY_KERNEL = {
    *("vsock socket", "kernel crypto socket", "sockets of rarer families"),
    *("kernel memory", "writing sysrq-trigger", "calls of the x32 ABI", "secret memory"),
    *("disks", "unusual devices", "userfaultfd", "TCP to the host over IPv6"),
    *("typing into a terminal", "typing with a high bit"),
}
NOT_IN_EVERY_CONTAINER = {
    *kernel_attacks.ATTACKS,
    *(set(network_attacks.ATTACKS) & {"raw IP socket", "packet socket", "netlink socket"}),
    *(name for name in process_attacks.ATTACKS if "memory" in name or "tracing" in name),
    *("taking another process's descriptor", "signalling by descriptor", "core dumps"),
    *("a file of the host through /proc", "a file of the host through a process"),
    *("a folder of the host by its handle", "environments in /proc", "root's home"),
    *("writing the system", "writing the root folder", "writing the devices", "setuid programs"),
    *(
        set(process_attacks.RESOURCE_ATTACKS)
        & {"raising a limit", "many processes", "address space"}
    ),
}


@pytest.fixture(scope="module")
def fought(isolation, python) -> list[AttackResult]:
    return run_battery(isolation, python=python)


def test_isolation_holds_every_attack(fought):
    assert [attack for attack in fought if not attack.held] == []


def test_every_attack_is_tried(fought):
    tried = [attack.name for attack in fought]
    assert {*ATTACKS, *HOLDING, *STAYING, ZYGOTE} < set(tried)
    assert len(tried) == len(set(tried)) > 85


# ------------------------------------------------- where nothing holds them


def nothing_stops_us() -> bool:
    """Whether this process has every right and no filter, as on a machine of its own."""
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":\t") for line in lines if ":\t" in line)
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    return status["Seccomp"] == "0" and int(status["CapEff"], 16) == (1 << last + 1) - 1


@ROOT_ONLY
def test_every_attack_gets_through_where_nothing_stops_it():
    with canaries() as put_out:
        (put_out.folder / "before").touch()
        through = unhindered(put_out, ATTACKS)
        noticed = put_out.noticed()
    expected = set(ATTACKS) - NOT_IN_EVERY_KERNEL
    if not nothing_stops_us():
        expected -= NOT_IN_EVERY_CONTAINER
    assert expected - set(through) == set()
    assert {"tcp", "udp", "unix", "abstract", "Redis", "metadata service"} < set(noticed)
    assert {"a signal", "a changed file"} < set(noticed)


@pytest.mark.parametrize("name", sorted(HOLDING))
def test_every_bomb_goes_off_where_nothing_stops_it(name):
    with canaries() as put_out:
        assert set(unhindered(put_out, alone=name)) == {name}


def test_attacks_leave_nothing_behind_where_nothing_stops_them():
    """No file, mount or process: what they change is a canary of ours."""
    places = ["/", "/dev", "/usr/bin", "/tmp", "/dev/shm"]
    mounts = Path("/proc/self/mounts").read_text()
    with canaries() as put_out:
        unhindered(put_out, [*file_attacks.ATTACKS, "mount", "device node", "many processes"])
        unhindered(put_out, alone="filling the scratch folder")
        token, ours = put_out.token, {put_out.tree, put_out.folder}
        left = [path for place in places for path in Path(place).iterdir() if path not in ours]
    assert [path for path in left if token in path.name] == []
    assert Path("/proc/self/mounts").read_text() == mounts
    assert attacks._left(token) == []


def test_untouched_canaries_notice_nothing():
    with canaries() as put_out:
        assert put_out.noticed() == []


LIKELY = (
    *("TCP to the host", "metadata service", "Redis", "abstract unix socket of the host"),
    *("a file of the host", "environments in /proc", "the host's processes"),
    *("signalling a host process", "changing a file of the project"),
)


@ROOT_ONLY
def test_battery_fails_without_isolation():
    fought = run_battery(TRUSTED, only=[*LIKELY, ZYGOTE])
    through = {attack.name for attack in fought if not attack.held}
    assert through - {ZYGOTE} == {*LIKELY, "anything the host noticed"}
    assert ZYGOTE in through or not nothing_stops_us()


# --------------------------------------------------- attacks that go wrong


def test_attack_that_fails_itself_is_not_held():
    def broken(_canary):
        raise KeyError("a mistake of ours")

    held, detail = _outcome(broken, None)
    assert not held
    assert "KeyError" in detail


def test_attack_that_leaves_no_word_is_not_held(isolation, python, monkeypatch):
    monkeypatch.setattr(attacks, "_reported", lambda printed: iter(()))
    fought = run_battery(isolation, only=["chroot"], python=python)
    assert AttackResult("chroot", held=False, detail="was not tried") in fought


# ------------------------------------------------------------- the doctor


def test_doctor_reports_what_holds(isolation, fought, python, monkeypatch):
    monkeypatch.setattr(machine_checks, "run_battery", lambda _isolation, **_python: fought)
    choice = "bubblewrap" if isolation.namespaces else "landlock"
    checks = machine_checks.examine_isolation(choice=choice, python=python)
    names = ["isolation", "escapes", "escapes of forked guests"]
    assert [check.name for check in checks] == names
    assert [check.mark for check in checks[:2]] == ["ok", "ok"]
    assert checks[2].unset is not isolation.namespaces
    assert checks[0].detail == ", ".join(isolation.layers)


def test_doctor_names_what_gets_through(bubblewrap, monkeypatch):
    def leaky(_isolation, **_python):
        return [
            AttackResult("a hole", held=False, detail="out"),
            AttackResult("b", held=True, detail=""),
        ]

    monkeypatch.setattr(machine_checks, "run_battery", leaky)
    _, escapes, hole, *_ = machine_checks.examine_isolation()
    assert not escapes.ok
    assert escapes.detail == "1 of 2 attempts held"
    assert (hole.name, hole.ok, hole.detail) == ("escape: a hole", False, "out")


def test_doctor_says_what_to_install(monkeypatch):
    def absent(*_settings, **_choice):
        raise IsolationUnavailable(
            ["bwrap is not installed"], ["Install it: apt install bubblewrap."]
        )

    monkeypatch.setattr(machine_checks, "find_isolation", absent)
    (check,) = machine_checks.examine_isolation()
    assert not check.ok
    assert "apt install bubblewrap" in check.remedy
