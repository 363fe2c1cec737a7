"""Where packages come from when the operator names no index: as for uv, else for pip."""

import time

import pytest

from worker.environments.package_indexes import (
    Indexes,
    indexes_of,
    machine_indexes,
    without_secrets,
)
from worker.environments.uv import Index, Uv
from worker.settings.operator_settings import EnvironmentSettings

NAMES = ("INDEX", "INDEX_URL", "DEFAULT_INDEX", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX")


@pytest.fixture(autouse=True)
def machine(tmp_path, monkeypatch):
    """A machine whose installers are not configured, and a folder for the user's settings."""
    for name in NAMES:
        monkeypatch.delenv(f"UV_{name}", raising=False)
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("UV_CONFIG_FILE", raising=False)
    monkeypatch.delenv("UV_NO_CONFIG", raising=False)
    (tmp_path / "uv").mkdir()
    return tmp_path


def test_unconfigured_machine_has_the_installers_default():
    assert machine_indexes() == Indexes()
    assert Indexes().variables() == {}


def test_uv_s_settings_count(machine, monkeypatch):
    (machine / "uv" / "uv.toml").write_text(
        'find-links = ["/srv/wheels", "here"]\n'
        '[[index]]\nurl = "https://a.example/simple"\ndefault = true\n'
        '[[index]]\nurl = "https://b.example/simple"\n'
        '[[index]]\nurl = "https://c.example/simple"\nexplicit = true\n'
    )
    found = Indexes("https://a.example/simple", ("https://b.example/simple",), ("/srv/wheels",))
    assert machine_indexes() == found
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://d.example/simple")
    assert machine_indexes().default == "https://d.example/simple"


def test_pip_s_settings_count_where_uv_has_none(machine, monkeypatch):
    file = machine / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://a.example/simple\n"
        "extra-index-url =\n    https://b.example/simple\n    file:///srv/simple\n"
        "[install]\nfind-links = /srv/wheels ./here\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    more = ("https://b.example/simple", "file:///srv/simple")
    assert machine_indexes() == Indexes("https://a.example/simple", more, ("/srv/wheels",))
    assert machine_indexes().variables()["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    monkeypatch.setenv("UV_INDEX_URL", "https://c.example/simple")
    assert machine_indexes() == Indexes("https://c.example/simple")


@pytest.mark.parametrize("text", ["[[index]", "index = 3", 'index = [{ url = 3 }]\nno-index = "x"'])
def test_broken_settings_are_passed_over(machine, text):
    (machine / "uv" / "uv.toml").write_text(text)
    assert not machine_indexes().default


def test_settings_where_we_stand_do_not_count(machine, monkeypatch):
    (machine / "uv.toml").write_text('index-url = "https://evil.example/simple"')
    (machine / "pip.conf").write_text("[global]\nindex-url = https://evil.example/simple")
    monkeypatch.chdir(machine)
    assert machine_indexes() == Indexes()


def test_operators_index_stands_alone(monkeypatch):
    monkeypatch.setenv("UV_INDEX", "https://b.example/simple")
    index = Index("https://a.example/simple", "me:hush")
    settings = EnvironmentSettings(index=index.url)
    found = indexes_of(settings, index.address)
    assert found == Indexes("https://me:hush@a.example/simple")
    assert found.shown == ("https://a.example/simple",)


def test_secrets_are_not_shown():
    assert without_secrets("no https://me:hush@a.example/x") == "no https://a.example/x"


def test_installer_tells_its_default_index(tmp_path):
    uv = Uv(Indexes(), tmp_path / "downloads", tmp_path, time.monotonic() + 60)
    assert uv.default_index().startswith("https://")
