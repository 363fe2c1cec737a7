"""What trees declare, by the files that are usual."""

import json

import pytest

from worker.environments.declarations.declaration import TargetPython
from worker.environments.declarations.declaration_reader import declared_python, read_declaration

TARGET = TargetPython("3.11.7")
HASH = f"sha256:{'a' * 64}"
UV_LOCK = f"""
version = 1
[[package]]
name = "app"
source = {{ virtual = "." }}
dependencies = [
  {{ name = "numpy", version = "1.26.4", marker = "python_version < '3.12'" }},
  {{ name = "numpy", version = "2.1.0", marker = "python_version >= '3.12'" }},
  {{ name = "own" }},
]
[package.optional-dependencies]
web = [{{ name = "flask", extra = ["async"] }}]
[package.dev-dependencies]
dev = [{{ name = "pytest" }}]
[[package]]
name = "numpy"
version = "1.26.4"
source = {{ registry = "https://evil.example/simple" }}
wheels = [{{ url = "https://evil.example/numpy.whl", hash = "{HASH}" }}]
[[package]]
name = "numpy"
version = "2.1.0"
source = {{ registry = "x" }}
[[package]]
name = "flask"
version = "3.0.0"
source = {{ registry = "x" }}
[package.optional-dependencies]
async = [{{ name = "asgiref" }}]
[[package]]
name = "asgiref"
version = "3.8.1"
source = {{ registry = "x" }}
[[package]]
name = "pytest"
version = "8.0.0"
source = {{ registry = "x" }}
[[package]]
name = "own"
version = "0.1"
source = {{ git = "https://example.org/own" }}
"""
POETRY_LOCK = f"""
[[package]]
name = "requests"
version = "2.31.0"
optional = false
python-versions = ">=3.7"
files = [{{ file = "requests.whl", hash = "{HASH}" }}]
[[package]]
name = "typing-backport"
version = "1.0"
python-versions = "<3.9"
[[package]]
name = "black"
version = "24.1.0"
python-versions = "*"
groups = ["dev"]
[[package]]
name = "forked"
version = "1.0"
python-versions = "*"
[package.source]
type = "git"
url = "https://example.org/forked"
[metadata]
python-versions = "^3.9"
"""
PIPFILE_LOCK = json.dumps(
    {
        "default": {
            "pillow": {"version": "==10.0.0", "hashes": [HASH], "index": "pypi"},
            "old": {"version": "==1.0", "markers": "python_version < '3'"},
            "local": {"path": "."},
        },
        "develop": {"pytest": {"version": "==8.0.0"}},
    }
)
PYLOCK = f"""
lock-version = "1.0"
[[packages]]
name = "attrs"
version = "25.1.0"
wheels = [{{ url = "https://x/attrs.whl", hashes = {{ sha256 = "{"a" * 64}" }} }}]
[[packages]]
name = "thing"
[packages.vcs]
type = "git"
"""
PYPROJECT = """
[project]
dependencies = ["flask>=2", "pywin32 ; sys_platform == 'win32'"]
[project.optional-dependencies]
vision = ["google-cloud-vision"]
dev = ["ruff"]
[dependency-groups]
serve = ["gunicorn", {include-group = "more"}]
more = ["uvloop"]
test = ["pytest"]
"""
POETRY = """
[tool.poetry.dependencies]
python = "^3.9"
django = "^4.2"
pillow = {version = "~10.1", extras = ["xmp"]}
anything = "*"
mine = {git = "https://example.org/mine"}
[tool.poetry.group.dev.dependencies]
pytest = "*"
"""
SETUP_PY = """
from setuptools import setup
BASE = ["numpy>=1.20", "pillow"]
MORE = BASE + ["scipy"]
if __name__ == "__main__":
    setup(name="x", install_requires=MORE + [f"a{1}"], python_requires=">=3.8")
"""
CASES = {
    "requirements.txt": (
        {
            "requirements.txt": "Flask == 2.0  # web\n-r more/all.txt\nrequests[socks]>=2\\\n,<3\n",
            "more/all.txt": "-c bounds.txt\nPillow\n-r ../requirements.txt\n",
            "more/bounds.txt": "pillow<10\n",
        },
        ["constraint pillow<10", "flask==2.0", "pillow", "requests[socks]<3,>=2"],
    ),
    "hashes": (
        {"requirements.txt": f"six==1.16.0 --hash={HASH} --hash=md5:123\n"},
        [f"six==1.16.0 --hash={HASH}"],
    ),
    "requirement files without the plain one": (
        {
            "requirements-prod.txt": "flask",
            "requirements-dev.txt": "ruff",
            "requirements/base.txt": "numpy",
            "requirements/test.txt": "pytest",
        },
        ["flask", "numpy"],
    ),
    "UTF-16": ({"requirements.txt": "flask==1.0\n"}, ["flask==1.0"]),
    "uv.lock": (
        {"uv.lock": UV_LOCK, "requirements.txt": "other"},
        ["asgiref==3.8.1", "flask==3.0.0", f"numpy==1.26.4 --hash={HASH}"],
    ),
    "poetry.lock": (
        {"poetry.lock": POETRY_LOCK, "pyproject.toml": POETRY},
        [f"requests==2.31.0 --hash={HASH}"],
    ),
    "Pipfile.lock": (
        {"Pipfile.lock": PIPFILE_LOCK, "Pipfile": "[packages]\nother = '*'"},
        [f"pillow==10.0.0 --hash={HASH}"],
    ),
    "pylock.toml": ({"pylock.toml": PYLOCK}, [f"attrs==25.1.0 --hash={HASH}"]),
    "pyproject.toml": (
        {"pyproject.toml": PYPROJECT},
        ["flask>=2", "google-cloud-vision", "gunicorn", "uvloop"],
    ),
    "poetry's tables": (
        {"pyproject.toml": POETRY},
        ["anything", "django<5,>=4.2", "pillow[xmp]<10.2,>=10.1"],
    ),
    "Pipfile": (
        {"Pipfile": "[packages]\nflask = '*'\nnumpy = '>=1.2,<2'\n[dev-packages]\nruff = '*'"},
        ["flask", "numpy<2,>=1.2"],
    ),
    "setup.cfg": (
        {"setup.cfg": "[options]\ninstall_requires =\n  flask>=1\n  numpy; python_version<'3'\n"},
        ["flask>=1"],
    ),
    "setup.py": ({"setup.py": SETUP_PY}, ["numpy>=1.20", "pillow", "scipy"]),
    "environment.yml": (
        {"environment.yml": "dependencies:\n- python=3.9\n- numpy=1.2\n- pip:\n  - flask==2.0\n"},
        ["flask==2.0"],
    ),
    "nearest folder": (
        {"api/requirements.txt": "flask", "requirements.txt": "django"},
        ["flask"],
    ),
    "a file that cannot be read": (
        {"uv.lock": "][", "requirements.txt": "flask"},
        ["flask"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_declaration_is_read(case, tree):
    files, expected = CASES[case]
    root = tree(files)
    if case == "UTF-16":
        (root / "requirements.txt").write_text("flask==1.0\n", encoding="utf-16")
    _, *lines = read_declaration(root, ["api/views.py"], TARGET).lines()
    assert sorted(lines) == sorted(expected)


def test_lock_is_complete_and_loose_files_are_not(tree):
    lock = read_declaration(tree({"poetry.lock": POETRY_LOCK}, "a"), [], TARGET)
    assert lock.complete
    assert not read_declaration(tree({"requirements.txt": "flask"}, "b"), [], TARGET).complete


def test_place_is_exact(tree):
    files = {"requirements.txt": "# first\nflask\n\nnumpy \\\n  >=1\npillow\n"}
    declaration = read_declaration(tree(files), [], TARGET)
    places = {wanted.name: wanted.place for wanted in declaration.wanted}
    assert places == {
        "flask": "requirements.txt:2",
        "numpy": "requirements.txt:4",
        "pillow": "requirements.txt:6",
    }


def test_unread_file_is_noted(tree):
    declaration = read_declaration(tree({"uv.lock": "][", "setup.py": "1 +"}), [], TARGET)
    assert declaration.wanted == []
    assert declaration.notes == [
        "uv.lock is not read: is no TOML",
        "setup.py is not read: cannot be parsed",
    ]


def test_computed_requirements_are_noted(tree):
    declaration = read_declaration(tree({"setup.py": SETUP_PY}), [], TARGET)
    assert "computed" in declaration.notes[0]


PYTHONS = {
    ".python-version": ({".python-version": "3.9.18\n", "setup.py": SETUP_PY}, "==3.9.*"),
    "runtime.txt": ({"runtime.txt": "python-3.10.4"}, "==3.10.*"),
    "pyproject.toml": ({"pyproject.toml": "[project]\nrequires-python='>=3.9,<4'"}, "<4,>=3.9"),
    "poetry": ({"pyproject.toml": POETRY}, "<4,>=3.9"),
    "poetry.lock": ({"poetry.lock": "[metadata]\npython-versions='~3.9 || ^3.11'"}, None),
    "uv.lock": ({"uv.lock": "requires-python = '>=3.12'"}, ">=3.12"),
    "Pipfile": ({"Pipfile": "[requires]\npython_version = '3.9'"}, "==3.9.*"),
    "setup.cfg": ({"setup.cfg": "[options]\npython_requires = >=3.6"}, ">=3.6"),
    "setup.py": ({"setup.py": SETUP_PY}, ">=3.8"),
    "environment.yml": ({"environment.yml": "dependencies: [python=3.9]"}, "==3.9.*"),
    "nothing": ({"pyproject.toml": "[project]\nname='x'"}, ""),
}


@pytest.mark.parametrize("case", PYTHONS)
def test_python_is_read(case, tree):
    files, expected = PYTHONS[case]
    declared = declared_python(tree(files), ["app.py"])
    if expected is None:
        assert [declared.allows(v) for v in ("3.9.1", "3.10.0", "3.12.1")] == [True, False, True]
    else:
        assert str(declared) == expected


# ------------------------------------------------------- what tests use besides

USES = "from sklearn import svm\nimport parameterized\n"


def used(root):
    declaration = read_declaration(root, ["app.py"], TARGET)
    return [each.text for each in declaration.development]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("setup.py", "MORE = ['flake8', 'scikit-learn']\nsetup(extras_require={'dev': MORE})"),
        ("setup.cfg", "[options.extras_require]\ntest =\n  scikit-learn\n  flake8\n"),
        ("pyproject.toml", "[project.optional-dependencies]\ntest = ['scikit-learn', 'flake8']"),
        (
            "pyproject.toml",
            "[dependency-groups]\nall = [{include-group = 'dev'}]\ndev = ['scikit-learn']",
        ),
        ("pyproject.toml", "[tool.poetry.group.dev.dependencies]\nscikit-learn = '*'"),
        ("pyproject.toml", "[tool.uv]\ndev-dependencies = ['scikit-learn']"),
        ("requirements-dev.txt", "scikit-learn\nflake8\n"),
        ("requirements/test.txt", "scikit-learn\nflake8\n"),
        ("tests/requirements.txt", "scikit-learn\n"),
    ],
)
def test_packages_for_development_that_tests_import_are_wanted(tree, path, text):
    root = tree({"requirements.txt": "numpy\n", path: text, "tests/test_app.py": USES})
    assert used(root) == ["scikit-learn"]


@pytest.mark.parametrize("place", ["docs/conf.py", "docs/example.py", "setup.py", "scripts/up.py"])
def test_imports_of_documents_and_scripts_ask_for_nothing(tree, place):
    files = {"requirements.txt": "numpy\n", "requirements-dev.txt": "scikit-learn\n"}
    assert used(tree({**files, place: USES})) == []


def test_most_used_come_first_up_to_a_limit(tree):
    names = [f"lib{n}" for n in range(20)]
    files = {f"tests/test_{n}.py": f"import lib{n}, os\nimport often\n" for n in range(20)}
    asked = "\n".join([*names, "often", "pytest", "tensorflow"])
    files |= {"tests/test_all.py": "import pytest\nimport tensorflow\nimport numpy\n"}
    files |= {"requirements.txt": "numpy\n", "requirements-dev.txt": f"{asked}\nnumpy\n"}
    found = used(tree(files))
    assert found[0] == "often"
    assert len(found) == 12
    assert not {"pytest", "tensorflow", "numpy"} & set(found)


def test_lock_that_names_all_is_not_added_to(tree):
    files = {"uv.lock": UV_LOCK, "requirements-dev.txt": "scikit-learn\n"}
    assert used(tree({**files, "tests/test_app.py": USES})) == []
