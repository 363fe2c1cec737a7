"""The attacks, tried by guests that were forked from a template."""

import pytest

from worker.cli import machine_checks
from worker.sandbox import attacks
from worker.sandbox.attack_battery.lasting_attacks import HOLDING, STAYING
from worker.sandbox.attack_battery.main import ATTACKS
from worker.sandbox.attacks import ZYGOTE, AttackResult, run_battery
from worker.sandbox.forked_attackers import ForkedAttackers
from worker.sandbox.warm_sandbox import Unforkable


@pytest.fixture(scope="module")
def attackers(bubblewrap):
    with ForkedAttackers() as found:
        yield found


@pytest.fixture(scope="module")
def fought(bubblewrap, attackers) -> list[AttackResult]:
    return run_battery(bubblewrap, start=attackers)


def test_forked_guests_hold_every_attack(fought):
    assert [attack for attack in fought if not attack.held] == []
    assert {*ATTACKS, *HOLDING, *STAYING, ZYGOTE} < {attack.name for attack in fought}


def test_every_attacker_was_forked(fought, attackers):
    assert len(attackers.started) >= len(attacks._ALONE)


def test_sandbox_is_clean_after_each_attacker_or_ended(fought, attackers):
    assert any(forked.clean for forked in attackers.started)
    for forked in attackers.started:
        assert forked.clean is not None
        assert forked.clean == (not forked.ended)


def test_doctor_tries_forked_guests_too(bubblewrap, monkeypatch):
    def fight(_isolation, start, **_python):
        forked = isinstance(start, ForkedAttackers)
        return [AttackResult("chroot", held=not forked, detail="in" if forked else "refused")]

    monkeypatch.setattr(machine_checks, "find_isolation", lambda *_, **__: bubblewrap)
    monkeypatch.setattr(machine_checks, "run_battery", fight)
    checks = {check.name: check for check in machine_checks.examine_isolation()}
    assert checks["escapes"].ok
    assert not checks["escapes of forked guests"].ok
    assert checks["escape: chroot"].detail == "in"


def test_doctor_says_why_none_is_forked(bubblewrap, monkeypatch):
    def fight(_isolation, start, **_python):
        if isinstance(start, ForkedAttackers):
            raise Unforkable("importing started 2 threads")
        return []

    monkeypatch.setattr(machine_checks, "find_isolation", lambda *_, **__: bubblewrap)
    monkeypatch.setattr(machine_checks, "run_battery", fight)
    *_, forked = machine_checks.examine_isolation()
    assert (forked.mark, forked.detail) == ("–", "none is forked: importing started 2 threads")
