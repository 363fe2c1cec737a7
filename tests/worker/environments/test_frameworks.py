"""Frameworks in environments: the real library, for the CPU, once for all projects."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from worker.environments.lent_packages import lendable
from worker.environments.provision import Environments
from worker.settings.operator_settings import EnvironmentSettings

pytestmark = pytest.mark.slow

OURS = version("torch")
NEEDS = ("filelock", "fsspec", "jinja2", "networkx", "setuptools", "sympy", "typing-extensions")


LOCK = """version = 1
requires-python = ">=3.8"

[[package]]
name = "net"
version = "1"
source = { editable = "." }
dependencies = [{ name = "torch" }]

[[package]]
name = "torch"
version = "99.0+cpu"
source = { registry = "https://download.example.org/whl/cpu" }
wheels = [{ url = "https://example.org/torch-99.0%2Bcpu-py3-none-any.whl", hash = "sha256:00" }]
"""


@pytest.fixture
def nothing_lent(monkeypatch):
    for place in ("environment_builder", "installer"):
        monkeypatch.setattr(f"worker.environments.{place}.lendable", dict)


@pytest.fixture
def torch(index):
    """An index with a torch for a GPU, and with what ours needs."""
    index.wheel("torch", "99.0", requires=["nvidia-cublas", "triton"], size=500 << 20)
    index.wheel("nvidia-cublas", "1.0", size=300 << 20)
    index.wheel("triton", "1.0")
    for name in NEEDS:
        index.wheel(name, "999.0")
    return index


def manifest(environment):
    return json.loads((environment.python.parents[1] / "manifest.json").read_text())


def packages(environment):
    return manifest(environment)["packages"]


def module(environment, name):
    return next(environment.python.parents[1].glob(f"lib/python3*/site-packages/{name}"))


def said(environment):
    return " | ".join(environment.notes)


def test_our_own_torch_is_lent(environment, torch):
    made = environment({"requirements.txt": "torch>=2\n"})
    assert packages(made) == {"torch": OURS} | dict.fromkeys(NEEDS, "999.0")
    assert not [path for path in torch.asked if "torch-99.0-py3-none-any.whl" in path[-28:]]
    assert f"{OURS}" in module(made, "torch/version.py").read_text()
    assert manifest(made)["size"] < 100 << 20


def test_torch_of_another_version_is_installed(environment, torch):
    made = environment({"requirements.txt": "torch==99.0\n"})
    assert packages(made) == {"torch": "99.0", "nvidia-cublas": "1.0"}


def test_locked_build_for_the_cpu_that_no_index_has_is_ours(environment, torch):
    """A GPU build without its libraries, which such a lock leaves out, cannot be imported."""
    made = environment(
        {
            "pyproject.toml": '[project]\nname = "net"\nversion = "1"\ndependencies = ["torch"]\n',
            "uv.lock": LOCK,
        }
    )
    assert packages(made) == {"torch": OURS} | dict.fromkeys(NEEDS, "999.0")
    assert f"torch==99.0 → {OURS}" in said(made)


def test_build_for_the_cpu_comes_before_a_newer_one(environment, torch, nothing_lent):
    torch.wheel("torch", "98.0", requires=["nvidia-nccl"])
    torch.wheel("nvidia-nccl", "1.0")
    torch.wheel("torch", "97.0+cpu")
    assert packages(environment({"requirements.txt": "torch\n"})) == {"torch": "97.0+cpu"}


def test_local_version_names_no_build(environment, torch, nothing_lent):
    torch.wheel("torch", "97.0+cpu")
    made = environment({"requirements.txt": "torch==97.0+cu121\nnvidia-cublas==1.0\n"})
    assert packages(made) == {"torch": "97.0+cpu"}


def test_builds_for_cpu_and_gpu_are_not_mixed(environment, torch, nothing_lent):
    torch.wheel("torch", "99.0+cpu")
    torch.wheel("torchvision", "1.0", requires=["torch==99.0"])
    made = environment({"requirements.txt": "torchvision\n"})
    assert packages(made) == {"torch": "99.0", "torchvision": "1.0", "nvidia-cublas": "1.0"}


@pytest.mark.parametrize(("torch", "numpy"), [("2.2.0", "1.26.0"), ("2.3.0+cpu", "2.1.0")])
def test_torch_comes_with_numpy(environment, index, nothing_lent, torch, numpy):
    index.wheel("torch", torch)
    for number in ("1.26.0", "2.1.0"):
        index.wheel("numpy", number)
    made = environment({"requirements.txt": "torch\n"})
    assert packages(made) == {"torch": torch, "numpy": numpy}


def test_torch_without_what_it_loads_is_left_out(environment, torch, nothing_lent):
    torch.wheel("shop", "1.0")
    files = {"requirements.txt": "torch\nshop\n"}
    torch.about("torch-99.0-py3-none-any.whl", size=200 << 20)
    made = environment(files, largest="250MiB")
    assert packages(made) == {"shop": "1.0"}
    assert "torch==99.0 (needs nvidia-cublas==1.0 (its wheel has 300 MiB" in said(made)


def test_cap_fits_the_wheels_of_today():
    largest_of_torch = 858 << 20  # 2.9.1; 2.15.0 has 514 MiB
    assert EnvironmentSettings().largest > largest_of_torch


def test_large_wheel_is_kept_once(environment, index, tmp_path):
    index.wheel("tensors", "1.0", size=100 << 20, files={"tensors.py": "VERSION = 1\n" * 9000})
    index.wheel("shop", "1.0")
    folder = tmp_path / "environments"
    one = environment({"requirements.txt": "tensors\n"}, name="one", folder=folder)
    two = environment({"requirements.txt": "tensors\nshop\n"}, name="two", folder=folder)
    places = [module(each, "tensors.py") for each in (one, two)]
    assert one.python != two.python
    assert len({place.stat().st_ino for place in places}) == 1
    assert len([path for path in index.asked if path.endswith("tensors-1.0-py3-none-any.whl")]) == 1
    assert manifest(one)["size"] < places[0].stat().st_size
    assert places[0].stat().st_mode & 0o004


def test_environment_without_its_framework_is_made_again(settings, tree, torch, nothing_lent):
    place, heard = tree({"requirements.txt": "torch\n"}), []

    def made(*, offline=False):
        python = Path(sys.executable)
        with Environments(settings(), python, heard.append, offline=offline) as environments:
            return packages(environments.of_tree(place, ["app.py"]))

    torch.about("torch-99.0-py3-none-any.whl", size=1 << 40)
    assert [made(), made()] == [{}, {}]
    assert len(heard) == 1
    torch.about("torch-99.0-py3-none-any.whl", size=500 << 20)
    assert made(offline=True) == {}
    assert made() == {"torch": "99.0", "nvidia-cublas": "1.0"}
    assert made(offline=True) == {"torch": "99.0", "nvidia-cublas": "1.0"}
    assert len(heard) == 2


def test_index_is_the_operators_or_the_machines(environment, index, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    index.wheel("shop", "1.0")
    assert packages(environment({"requirements.txt": "shop\n"}, index=None)) == {"shop": "1.0"}


def test_index_of_cpu_builds_is_asked_too(environment, torch, nothing_lent):
    from tests.worker.environments.index import PackageIndex

    with PackageIndex() as other:
        other.wheel("torch", "99.0+cpu")
        made = environment({"requirements.txt": "torch\n"}, cpu_index=other.url)
    assert packages(made) == {"torch": "99.0+cpu"}


def test_only_torchs_own_packages_are_lent():
    assert lendable()["torch"] == OURS
    assert not {"flask", "numpy", "uv"} & lendable().keys()


def test_folder_of_wheels_is_an_index(environment, index, tmp_path, monkeypatch):
    index.wheel("shop", "1.0")
    (tmp_path / "wheels").mkdir()
    for name, content in index.files.items():
        if name.endswith(".whl"):
            Path(tmp_path, "wheels", name).write_bytes(content)
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    made = environment({"requirements.txt": "shop\n"}, index=None)
    assert packages(made) == {"shop": "1.0"}
    assert index.asked == []
