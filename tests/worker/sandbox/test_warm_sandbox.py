"""What one forked guest leaves to the next, and what guests at the same time see of each other."""

import json
import os
import select
import shutil
import signal
import sys
import tempfile
import venv
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from worker.sandbox.forked_attackers import forked_program
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import Limits
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.guest_usage import family
from worker.sandbox.protocol.channel import ChannelClosed
from worker.sandbox.warm_sandbox import ForkedGuest, WarmSandbox
from worker.sandbox.warm_sandboxes import WarmSandboxes

from .conftest import GUESTS, SYSTEM_PYTHON
from .forking import plan

NEIGHBOURS = Path(__file__).parent / "neighbours"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("forked")


@pytest.fixture(scope="module")
def planned(bubblewrap, folder):
    tree = folder / "tree"
    tree.mkdir()
    (tree / "module.py").write_text("ANSWER = 42\n")
    return plan(bubblewrap, tree, forked_program(folder, NEIGHBOURS, "neighbour_guests"))


@pytest.fixture(scope="module")
def started(planned):
    """The sandboxes that can be used again: one at most."""
    sandboxes = []
    yield sandboxes
    for sandbox in sandboxes:
        sandbox.close()


@pytest.fixture
def sandbox(planned, started):
    sandbox = started.pop() if started else WarmSandbox(planned, ())
    yield sandbox
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("CLEAR_SECONDS", "SETTLING_SECONDS"):
            patch.setattr(f"worker.sandbox.warm_sandbox.{limit}", 0.5)
        recovered = sandbox.recovered()
    if recovered:
        started.append(sandbox)
    else:
        sandbox.close()


@pytest.fixture
def fork(sandbox):
    """Forks guests that tell what they see, one after the other in one sandbox."""

    def fork_guest(behaviour: str, **more) -> ForkedGuest:
        return begun(sandbox, behaviour, **more)

    return fork_guest


def begun(sandbox, behaviour, **more):
    guest = sandbox.fork()
    guest.on_close = lambda: None
    guest.channel.send({"type": "prepare", "behaviour": behaviour, "root": guest.root, **more})
    return guest


def said(guest):
    try:
        return json.loads(guest.channel.receive(60)["reason"])
    except ChannelClosed:
        pytest.fail(guest.stderr_tail())


# ---------------------------------------------------------- one after the other


def test_next_guest_finds_nothing_of_the_last(fork, sandbox):
    first = fork("look")
    seen = said(first)
    first.close()
    assert sandbox.recovered()
    hidden = fork("litter")
    assert said(hidden)["wrote"] > 5
    hidden.close()
    assert sandbox.recovered()
    after = fork("look")
    assert said(after) == seen
    after.close()


def test_daemons_of_a_guest_end_with_it(fork, sandbox):
    guest = fork("daemons")
    before = said(guest)["processes"]
    assert before > 3
    recovered = []
    guest.on_close = lambda: recovered.append(sandbox.recovered())
    guest.close()
    assert recovered == [True]
    assert len(family(sandbox._sandbox.pid)) == 2


def test_guest_reaches_nothing_of_its_template(fork, sandbox):
    guest = fork("reach_template")
    got = said(guest)
    assert got.pop("template") == 2
    assert got == dict.fromkeys(got, "PermissionError")
    assert {"memory", "descriptors", "trace", "signal", "oom_score"} <= set(got)
    guest.close()
    assert sandbox.recovered()


def test_interpreter_in_a_folder_that_guests_write_to_is_out_of_their_reach(planned):
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        Path(place).chmod(0o755)
        environment = Path(place, "environment")
        venv.create(environment, symlinks=True)
        sandbox = WarmSandbox(replace(planned, python=environment / "bin" / "python"), ())
        with closing(sandbox):
            seen = []
            for behaviour in ("look", "change_mounts", "litter", "look"):
                guest = begun(sandbox, behaviour)
                seen.append(said(guest))
                guest.close()
                assert sandbox.recovered()
        assert seen[0] == seen[3]
        assert len(seen[0]["folders"]["/tmp"][0]) == 1
        assert set(seen[1].values()) == {"OSError"}


@pytest.mark.parametrize("harm", ["lower_limits", "pin_processor", "be_nicer"])
def test_changed_template_is_not_used_again(fork, sandbox, harm, monkeypatch):
    monkeypatch.setattr("worker.sandbox.warm_sandbox.SETTLING_SECONDS", 0.2)
    guest = fork(harm)
    assert said(guest) == {"done": True}
    guest.close()
    assert not sandbox.recovered()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_template_that_was_stopped_is_not_used_again(fork, sandbox, number, monkeypatch):
    monkeypatch.setattr("worker.sandbox.warm_sandbox.CLEAR_SECONDS", 0.5)
    guest = fork("look")
    said(guest)
    os.kill(sandbox._template, number)
    guest.close()
    assert not sandbox.recovered()


def test_template_has_one_thread_and_none_of_the_project(sandbox):
    tasks = list(Path(f"/proc/{sandbox._template}/task").iterdir())
    assert len(tasks) == 1
    maps = Path(f"/proc/{sandbox._template}/maps").read_text()
    assert "/project" not in maps


def test_guest_without_end_is_ended_at_its_limit(bubblewrap, folder, tree):
    limits = Limits(wall_seconds=3.0)
    sandbox = WarmSandbox(
        plan(bubblewrap, tree, forked_program(folder, NEIGHBOURS, "neighbour_guests"), limits), ()
    )
    try:
        guest = begun(sandbox, "stay")
        select.select([guest.process], [], [], 600)
        assert "longer than 3 s" in guest.stopped
        guest.close()
        assert not sandbox.recovered()
    finally:
        sandbox.close()


# ------------------------------------------------------------- side by side


def test_guests_side_by_side_reach_nothing_of_each_other(planned):
    one, other = WarmSandbox(planned, ()), WarmSandbox(planned, ())
    try:
        victim, attacker = begun(one, "hold_secret"), begun(other, "hunt")
        secret = said(victim)["secret"]
        attacker.channel.send({"type": "prepare", "secret": secret, "pid": victim.pid})
        found = said(attacker)
        assert found == {
            "processes": 3,
            "files": [],
            "memory": [],
            "signalled": "ProcessLookupError",
        }
        victim.channel.send({"type": "prepare"})
        assert said(victim) == {"alive": True, "secret": secret}
        uids = {Path(f"/proc/{guest.pid}").stat().st_uid for guest in (victim, attacker)}
        spaces = {Path(f"/proc/{each._template}/ns/pid").readlink() for each in (one, other)}
        assert len(spaces) == 2
        assert len(uids) == (2 if os.geteuid() == 0 else 1)
        shared = [shared_writable(guest.pid) for guest in (victim, attacker)]
        assert not shared[0] & shared[1]
        victim.close()
        attacker.close()
    finally:
        one.close()
        other.close()


def shared_writable(pid):
    """The writable memory that a process shares, by device and inode."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {tuple(line.split()[3:5]) for line in lines if {"w", "s"} <= set(line.split()[1])}


@pytest.mark.slow
def test_guests_are_forked_where_the_compiler_of_torch_was_imported(planned):
    sandbox = WarmSandbox(planned, ["torch", "torch._dynamo"])
    try:
        with sandbox.fork() as guest:
            assert guest.pid
    finally:
        sandbox.close()


# --------------------------------------------------------------- falling back


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("starts_thread", "importing started 1 threads"),
        pytest.param("starts_process", "importing started processes", marks=pytest.mark.slow),
        pytest.param("leaves_file", "left /usr/bin/env open", marks=pytest.mark.slow),
        pytest.param("leaves_socket", "left socket:", marks=pytest.mark.slow),
        pytest.param("shares_memory", "memory that forks share", marks=pytest.mark.slow),
        ("writes_file", "importing wrote /scratch/home/cache"),
        ("fails", "cannot be imported"),
        ("ends", "ChannelClosed"),
    ],
)
def test_library_that_cannot_be_forked_is_named_and_guests_start_afresh(
    planned, folder, module, reason
):
    shutil.copytree(
        Path(__file__).parent / "unforkable", folder / "_forked" / "unforkable", dirs_exist_ok=True
    )
    with WarmSandboxes() as pool:
        for _ in range(2):
            with pool.guest(planned, [f"_forked.unforkable.{module}"]) as guest:
                assert isinstance(guest, GuestProcess)
        (note,) = pool.notes
        assert reason in note


def test_landlock_guests_start_afresh_and_say_so(landlock, public, tree):
    python = SYSTEM_PYTHON if Path(SYSTEM_PYTHON).exists() else sys.executable
    program = GuestProgram(GUESTS, "guests")
    planned = replace(plan(landlock, tree, program), python=Path(python))
    with WarmSandboxes() as pool, pool.guest(planned, ()) as guest:
        assert isinstance(guest, GuestProcess)
        assert list(pool.notes) == ["guests without namespaces of their own start afresh"]


def test_pool_forks_again_in_the_same_sandbox_and_ends_all(planned):
    with WarmSandboxes() as pool:
        templates = set()
        for _ in range(3):
            with pool.guest(planned, ()) as guest:
                assert isinstance(guest, ForkedGuest)
                templates.add(guest.sandbox._template)
        assert len(templates) == 1
    assert not Path(f"/proc/{templates.pop()}").exists()


def test_guests_at_the_same_time_have_different_sandboxes(planned):
    with WarmSandboxes() as pool, ExitStack() as guests:
        one, other = (guests.enter_context(pool.guest(planned, ())) for _ in range(2))
        assert one.sandbox is not other.sandbox


def test_guest_of_a_closed_pool_leaves_nothing(planned):
    with WarmSandboxes() as pool:
        guest = pool.guest(planned, ())
    guest.close()
    assert not Path(f"/proc/{guest.sandbox._template}").exists()
