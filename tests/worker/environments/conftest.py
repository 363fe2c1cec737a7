"""An index, and environments that are installed from it."""

import sys
from pathlib import Path

import pytest

from tests.worker.environments.index import PackageIndex
from worker.environments.provision import Environments
from worker.settings.operator_settings import EnvironmentSettings


@pytest.fixture(scope="session")
def server():
    with PackageIndex() as index:
        yield index


@pytest.fixture
def index(server):
    """An index with nothing in it, at an address of its own."""
    server.renew()
    return server


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where environments are kept: each index has its own there, the guest's layer is one."""
    return tmp_path_factory.mktemp("environments")


@pytest.fixture
def settings(index, folder):
    def settings(**wishes):
        wishes = {"index": index.url, "folder": folder, **wishes}
        return EnvironmentSettings.model_validate(wishes)

    return settings


@pytest.fixture
def tree(tmp_path):
    def tree(files, name="tree"):
        for path, text in files.items():
            place = tmp_path / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return tmp_path / name

    return tree


@pytest.fixture
def environment(settings, tree):
    """The environment of a tree with these files, and its notes as one text."""
    opened = []

    def environment(files, *, offline=False, name="tree", own=None, isolation=None, **wishes):
        environments = Environments(
            settings(**wishes),
            Path(sys.executable),
            lambda _: None,
            offline=offline,
            isolation=isolation,
        )
        opened.append(environments)
        return environments.of_tree(tree(files, name), ["app.py"], own)

    yield environment
    for each in opened:
        each.__exit__()
