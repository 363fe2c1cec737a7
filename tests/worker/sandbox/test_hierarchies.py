"""Where groups may be made, by what the kernel says of its hierarchies."""

import os
from pathlib import Path

import pytest

from worker.sandbox import cgroups as module
from worker.sandbox.cgroups import HOSTS, CgroupHierarchy, find_hierarchies

UNIFIED = "30 25 0:26 {root} {folder} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
FIRST = "31 25 0:27 {root} {folder} rw,nosuid - cgroup cgroup rw,{controllers}"


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with one hierarchy; ``groups`` are folders below its mount."""
    folder = tmp_path / "mount"

    def machine(line: str, own: str, root: str = "/", groups=(), **more) -> Path:
        for group in (".", *groups):
            place = folder / group
            place.mkdir(parents=True, exist_ok=True)
            (place / "cgroup.procs").touch()
            (place / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
            if group != "." or root != "/" or more.get("container"):
                (place / "cgroup.type").write_text("domain\n")
        mounts, groups_file = tmp_path / "mountinfo", tmp_path / "cgroup"
        controllers = more.get("controllers", "")
        line = line.format(root=root, folder=folder, controllers=controllers)
        mounts.write_text(f"25 1 0:23 / /sys rw - sysfs sysfs rw\n{line}\n")
        groups_file.write_text(f"{own}\n")
        monkeypatch.setattr(module, "MOUNTS", mounts)
        monkeypatch.setattr(module, "OWN", groups_file)
        return folder

    return machine


def delegated(folder: Path) -> None:
    try:
        os.setxattr(folder, "user.delegate", b"1")
    except OSError:
        pytest.skip("this file system has no extended attributes")


ALL = frozenset({"pids", "memory", "cpu"})


def test_root_of_the_hierarchy_is_divided(machine):
    folder = machine(UNIFIED, "0::/")
    assert find_hierarchies() == [CgroupHierarchy(folder, unified=True, controllers=ALL)]


def test_container_divides_its_own_namespace(machine):
    folder = machine(UNIFIED, "0::/", container=True)
    assert find_hierarchies() == [
        CgroupHierarchy(folder, unified=True, controllers=ALL, shared=True)
    ]


def test_group_of_someone_else_is_left_alone(machine):
    machine(UNIFIED, "0::/user.slice/session-1.scope", groups=["user.slice/session-1.scope"])
    assert find_hierarchies() == []


def test_delegated_service_is_divided(machine):
    folder = machine(UNIFIED, "0::/system.slice/a.service", groups=["system.slice/a.service"])
    service = folder / "system.slice/a.service"
    delegated(service)
    assert find_hierarchies() == [
        CgroupHierarchy(service, unified=True, controllers=ALL, shared=True)
    ]


@pytest.mark.parametrize("leaf", [HOSTS, "main"])
def test_host_beside_its_guests_divides_what_is_above(machine, leaf):
    own = f"system.slice/a.service/{leaf}"
    folder = machine(UNIFIED, f"0::/{own}", groups=["system.slice/a.service", own])
    service = folder / "system.slice/a.service"
    delegated(service)
    assert find_hierarchies() == [CgroupHierarchy(service, unified=True, controllers=ALL)]


def test_bind_mounted_group_is_found_below_its_root(machine):
    folder = machine(UNIFIED, "0::/docker/1", root="/docker/1")
    assert find_hierarchies() == [
        CgroupHierarchy(folder, unified=True, controllers=ALL, shared=True)
    ]


def test_group_outside_of_the_mount_is_not_found(machine):
    machine(UNIFIED, "0::/docker/2", root="/docker/1")
    assert find_hierarchies() == []


def test_first_version_is_divided_at_its_root(machine):
    folder = machine(FIRST, "8:pids:/", controllers="pids")
    assert find_hierarchies() == [
        CgroupHierarchy(folder, unified=False, controllers=frozenset({"pids"}))
    ]


@pytest.mark.parametrize(
    ("own", "controllers"),
    [("4:memory:/user", "memory"), ("3:cpuset:/", "cpuset"), ("1:name=systemd:/", "name=systemd")],
)
def test_first_version_is_left_alone_elsewhere(machine, own, controllers):
    machine(FIRST, own, groups=["user"], controllers=controllers)
    assert find_hierarchies() == []


def test_machine_without_hierarchies_has_none(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "MOUNTS", tmp_path / "absent")
    monkeypatch.setattr(module, "OWN", tmp_path / "absent")
    assert find_hierarchies() == []
