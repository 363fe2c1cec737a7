"""What the doctor says of packages and of torch."""

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from worker.cli.machine_checks import examine_environments


@pytest.fixture
def checks(settings):
    def checks(**wishes):
        found = examine_environments(settings(**wishes), Path(sys.executable))
        return {check.name: check for check in found}

    return checks


def test_places_of_packages_are_told(checks, index):
    assert checks()["packages"].detail == index.url


def test_own_torch_is_told(checks, index):
    for name in (
        *("filelock", "fsspec", "jinja2", "networkx", "setuptools", "sympy"),
        "typing-extensions",
    ):
        index.wheel(name, "999.0")
    found = checks()["framework torch"]
    assert found.ok
    assert found.detail.startswith(f"{version('torch')}, Assayer's own")


def test_libraries_for_a_gpu_are_told(checks, index, monkeypatch):
    monkeypatch.setattr("worker.environments.environment_builder.lendable", dict)
    index.wheel("torch", "9.0", requires=["nvidia-cublas"], size=500 << 20)
    index.wheel("nvidia-cublas", "1.0", size=300 << 20)
    found = checks()["framework torch"]
    assert found.ok
    assert "9.0 with 1 libraries for a GPU, 800 MiB to download" in found.detail


def test_missing_torch_names_the_settings(checks, index, monkeypatch):
    monkeypatch.setattr("worker.environments.environment_builder.lendable", dict)
    index.wheel("torch", "9.0", size=2 << 30)
    found = checks()["framework torch"]
    assert not found.ok
    assert "its wheel has 2048 MiB" in found.detail
    assert "[environments] index, cpu_index" in found.remedy


def test_installing_that_is_turned_off_is_told(checks):
    found = checks(install="never")
    assert [*found] == ["packages"]
    assert not found["packages"].ok
