"""Which versions declarations allow."""

from __future__ import annotations

import pytest

from analyzers.properties.declared_versions import allows, declarations


@pytest.mark.parametrize(
    ("path", "text", "allowed"),
    [
        ("requirements.txt", "numpy\n", True),
        ("requirements.txt", "numpy>=1.16\n", True),
        ("requirements.txt", "numpy>=1.16,<1.24\n", False),
        ("requirements.txt", "numpy<2\n", True),
        ("requirements.txt", "numpy == 1.19.*  # old\n", False),
        ("requirements.txt", "numpy==1.24.*\n", True),
        ("requirements.txt", "numpy~=1.19.2\n", False),
        ("requirements.txt", "numpy~=1.19\n", True),
        ("requirements.txt", "numpy[extra]==1.26.4 ; python_version > '3'\n", True),
        ("requirements.txt", "numpy-quaternion==0.1\n", True),
        ("pyproject.toml", '[project]\ndependencies = ["numpy<1.20", "torch"]\n', False),
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "torch<1.0"]\n', True),
        ("pyproject.toml", '[tool.poetry.dependencies]\nnumpy = "^1.19"\n', True),
        ("pyproject.toml", '[tool.poetry.dependencies]\nnumpy = "~1.19"\n', False),
        ("pyproject.toml", 'numpy = { version = "1.19.5", extras = [] }\n', False),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy<=1.23\n    torch\n", False),
        ("setup.py", "setup(install_requires=['numpy>=1.9,<1.20', 'six'])\n", False),
        ("environment.yml", "dependencies:\n  - numpy=1.19\n", False),
        ("environment.yml", "dependencies:\n  - numpy=1.24\n", True),
        ("environment.yml", "dependencies:\n  - pip:\n    - numpy==1.18.0\n", False),
        ("poetry.lock", '[[package]]\nname = "numpy"\nversion = "1.19.5"\n', False),
        ("uv.lock", '[[package]]\nname = "numpy"\nversion = "2.1.0"\n', True),
        ("Pipfile.lock", '{"numpy": {"hashes": [], "version": "==1.19.5"}}\n', False),
    ],
)
def test_ranges(path, text, allowed):
    assert declarations([path]) == [path]
    assert allows("numpy", "1.24", {path: text}) is allowed


def test_other_names_of_a_package():
    assert not allows("tensorflow", "2.0", {"requirements.txt": "tensorflow-gpu==1.15\n"})
    assert not allows("torch", "1.8", {"environment.yml": "- pytorch=1.4\n"})


@pytest.mark.parametrize(
    "text", ["tensorflow==1.15\n", "torch<1.5\n", 'python_requires="<3.7"\n', "python=3.6\n"]
)
def test_old_pins_speak_for_what_is_not_declared(text):
    assert not allows("numpy", "1.24", {"setup.py": text})


@pytest.mark.parametrize("text", ["tensorflow\n", "torch>=1.5\n", 'python_requires=">=3.6"\n'])
def test_open_ranges_allow_what_is_not_declared(text):
    assert allows("numpy", "1.24", {"setup.py": text})


def test_every_declaration_counts():
    texts = {"requirements.txt": "numpy\n", "requirements/old.txt": "numpy<1.20\n"}
    assert declarations(list(texts)) == list(texts)
    assert not allows("numpy", "1.24", texts)
    assert allows("numpy", "1.24", {})


def test_code_declares_nothing():
    assert declarations(["app.py", "README.md", "data/requirements.json"]) == []
