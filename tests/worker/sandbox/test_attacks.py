import pytest

from worker.sandbox import doctor
from worker.sandbox.attack_battery.main import ATTACKS
from worker.sandbox.attacks import Attack, run_battery
from worker.sandbox.isolation import TRUSTED, NoIsolation

HARMLESS = (
    *("TCP to the host", "UDP to the host", "abstract unix socket of the host"),
    *("unix socket in the host's files", "a file of the host", "daemonising"),
    *("environments in /proc", "the host's processes", "signalling a host process"),
)


@pytest.fixture(scope="module")
def fought(isolation) -> list[Attack]:
    return run_battery(isolation)


def test_isolation_holds_every_attack(fought):
    assert [attack for attack in fought if not attack.held] == []


def test_every_attack_is_tried(fought):
    tried = [attack.name for attack in fought]
    assert set(ATTACKS) < set(tried)
    assert len(tried) == len(set(tried)) > 60


def test_battery_fails_without_isolation():
    fought = run_battery(TRUSTED, only=HARMLESS)
    through = {attack.name for attack in fought if not attack.held}
    assert through == {*HARMLESS, "anything the host heard"}


def test_doctor_reports_what_holds(isolation):
    checks = doctor.examine_isolation()
    assert [check.name for check in checks] == ["isolation", "escapes"]
    assert all(check.ok for check in checks)
    assert "bubblewrap" in checks[0].detail


def test_doctor_names_what_gets_through(isolation, monkeypatch):
    def leaky(_isolation):
        return [Attack("a hole", held=False, detail="out"), Attack("b", held=True, detail="")]

    monkeypatch.setattr(doctor, "run_battery", leaky)
    _, escapes, hole = doctor.examine_isolation()
    assert not escapes.ok
    assert escapes.detail == "1 of 2 attempts held"
    assert (hole.name, hole.ok, hole.detail) == ("escape: a hole", False, "out")


def test_doctor_says_what_to_install(monkeypatch):
    def absent(_uids):
        raise NoIsolation(["bwrap is not installed"], ["Install it: apt install bubblewrap."])

    monkeypatch.setattr(doctor, "find_isolation", absent)
    (check,) = doctor.examine_isolation()
    assert not check.ok
    assert "apt install bubblewrap" in check.remedy
