"""Environments from a real index, by the real installer."""

import json
import sys
from pathlib import Path

import pytest

from worker.environments.declarations.declaration import TargetPython
from worker.environments.declarations.declaration_reader import read_declaration
from worker.environments.environment import OUR_OWN
from worker.environments.interpreters import developer_environment, our_interpreter
from worker.environments.provision import Environments
from worker.environments.uv import Unreachable, Uv


def packages(environment):
    manifest = environment.python.parents[1] / "manifest.json"
    return json.loads(manifest.read_text())["packages"]


def said(environment):
    return " | ".join(environment.notes)


def test_declared_packages_and_what_they_need_are_installed(environment, index):
    index.wheel("shop", "1.0", requires=["till>=2"])
    index.wheel("till", "2.1")
    index.wheel("till", "3.0")
    made = environment({"requirements.txt": "shop\n", "bounds.txt": ""})
    assert packages(made) == {"shop": "1.0", "till": "3.0"}
    assert made.hidden == ()
    assert "requirements.txt" in said(made)
    assert "2 packages" in said(made)
    site = next(made.python.parents[1].glob("lib/python3*/site-packages"))
    assert "VERSION = '3.0'" in (site / "till.py").read_text()
    assert list(site.glob("__pycache__/till.*.pyc"))


def test_equal_content_is_one_environment(environment, index):
    index.wheel("shop", "1.0")
    first = environment({"requirements.txt": "Shop==1.0\n"}, name="one")
    asked = len(index.asked)
    second = environment({"requirements.txt": "# ours\nshop == 1.0 # pinned\n"}, name="two")
    assert (second.python, len(index.asked)) == (first.python, asked)


def test_other_content_is_another_environment(environment, index):
    hashes = [index.wheel("shop", version) for version in ("1.0", "2.0")]
    texts = ["shop==1.0", "shop==2.0", f"shop==2.0 --hash={hashes[1]}"]
    made = [
        environment({"requirements.txt": text}, name=str(number))
        for number, text in enumerate(texts)
    ]
    assert len({each.python for each in made}) == 3


def test_downloads_that_another_process_cleans_are_fetched_again(environment, index, monkeypatch):
    index.wheel("shop", "1.0")
    run, failures = Uv._run, []

    def cleaned(uv, *words):
        if "install" in words and not failures:
            uv.clean()
            failures.append(f"failed to read directory `{uv._downloads}/archive-v0/a`")
            raise Unreachable(failures[0])
        run(uv, *words)

    monkeypatch.setattr(Uv, "_run", cleaned)
    assert packages(environment({"requirements.txt": "shop==1.0"})) == {"shop": "1.0"}
    assert failures


def test_what_tests_use_is_installed_besides(environment, index):
    index.wheel("shop", "1.0")
    index.wheel("till", "2.1")
    index.wheel("other", "1.0")
    files = {"requirements.txt": "shop\n", "requirements-dev.txt": "till\nother\n"}
    made = environment({**files, "tests/test_app.py": "import till\n"})
    assert packages(made) == {"shop": "1.0", "till": "2.1"}
    assert "2 packages, with what its tests use: till" in said(made)


def test_what_only_tests_use_costs_nothing_that_is_declared(environment, index):
    index.wheel("shop", "1.0")
    index.wheel("till", "2.1", requires=["shop>=2"])
    files = {"requirements.txt": "shop\n", "requirements-dev.txt": "till\nnowhere\n"}
    made = environment({**files, "tests/test_app.py": "import till\nimport nowhere\n"})
    assert packages(made) == {"shop": "1.0"}
    assert "what its tests use" not in said(made)


def test_sources_are_never_built(environment, index, tmp_path):
    index.sdist("carved", "1.0", tmp_path / "ran")
    index.wheel("shop", "1.0")
    made = environment({"requirements.txt": "carved==1.0\nshop\n"})
    assert packages(made) == {"shop": "1.0"}
    assert "carved==1.0 (requirements.txt:1: only as source; set [environments] builds)" in said(
        made
    )
    assert not (tmp_path / "ran").exists()


def test_nearest_later_version_with_a_wheel_is_used_and_said(environment, index, tmp_path):
    index.sdist("carved", "1.0", tmp_path / "ran")
    index.wheel("carved", "1.2")
    index.wheel("carved", "3.0")
    made = environment({"requirements.txt": "carved==1.0\n"})
    assert packages(made) == {"carved": "1.2"}
    assert "carved==1.0 → 1.2" in said(made)


def test_all_that_can_be_had_is_installed(environment, index):
    names = [f"part{number}" for number in range(7)]
    for name in names:
        index.wheel(name, "1.0")
    wanted = [*names[:3], "gone", *names[3:], "missing>=3"]
    made = environment({"requirements.txt": "\n".join(wanted)})
    assert sorted(packages(made)) == names
    assert "gone (requirements.txt:4: gone was not found" in said(made)
    assert "missing>=3 (requirements.txt:9:" in said(made)


def test_frozen_versions_count_more_than_what_packages_say(environment, index):
    index.wheel("shop", "1.0", requires=["till>=2"])
    index.wheel("till", "1.0")
    index.wheel("till", "2.0")
    made = environment({"requirements.txt": "shop==1.0\ntill==1.0\n"})
    assert packages(made) == {"shop": "1.0", "till": "1.0"}


def test_contradiction_costs_the_later_requirement(environment, index):
    index.wheel("shop", "1.0", requires=["till>=2"])
    index.wheel("till", "1.0")
    index.wheel("till", "2.0")
    made = environment({"requirements.txt": "shop\ntill<2\n"})
    assert packages(made) == {"shop": "1.0", "till": "2.0"}
    assert "till<2 (requirements.txt:2: contradicts the others" in said(made)


def test_wrong_hash_is_not_installed(environment, index):
    index.wheel("shop", "1.0")
    good = index.wheel("till", "1.0")
    text = f"shop==1.0 --hash=sha256:{'0' * 64}\ntill==1.0 --hash={good}\n"
    made = environment({"requirements.txt": text})
    assert packages(made) == {"till": "1.0"}
    assert "shop==1.0" in said(made)


def test_wheel_that_is_too_large_is_left_out(environment, index):
    index.wheel("torch", "2.0", size=900 << 20, requires=["nvidia-cublas"])
    index.wheel("nvidia-cublas", "1.0")
    index.wheel("shop", "1.0")
    made = environment({"requirements.txt": "torch\nshop\n"}, largest="400MiB")
    assert packages(made) == {"shop": "1.0"}
    assert "torch==2.0 (its wheel has 900 MiB; [environments] largest allows 400 MiB)" in said(made)
    assert not [path for path in index.asked if path.endswith("torch-2.0-py3-none-any.whl")]


def test_build_for_a_processor_is_taken(environment, index):
    index.wheel("tensorflow-cpu", "2.0")
    made = environment({"requirements.txt": "tensorflow==2.0\n"})
    assert packages(made) == {"tensorflow-cpu": "2.0"}


def test_only_the_operators_index_is_asked(environment, index):
    from tests.worker.environments.index import PackageIndex

    index.wheel("shop", "1.0")
    with PackageIndex() as other:
        other.wheel("shop", "9.9")
        lines = [
            f"--index-url {other.url}",
            f"--extra-index-url={other.url}",
            f"-f {other.url}/shop/",
            f"shop --index-url {other.url}",
            f"till @ {other.url}/till.whl",
        ]
        uv = f"[tool.uv]\nindex-url = {other.url!r}\n"
        made = environment({"requirements.txt": "\n".join(lines), "uv.toml": uv})
        assert other.asked == []
    assert packages(made) == {"shop": "1.0"}


def test_unreachable_index_means_no_environment(environment, tmp_path, monkeypatch):
    monkeypatch.setattr("worker.environments.uv.RETRIES", 0)
    folder = tmp_path / "environments"
    index = "http://127.0.0.1:9/simple"
    made = environment({"requirements.txt": "shop\n"}, index=index, folder=folder)
    assert (made.python, made.hidden) == (Path(sys.executable), OUR_OWN)
    assert "requirements.txt asks for is not installed" in said(made)
    assert not list(folder.glob("ready/*"))


def test_offline_takes_what_is_there(environment, index):
    index.wheel("shop", "1.0")
    files = {"requirements.txt": "shop\n"}
    assert "offline" in said(environment(files, offline=True))
    made = environment(files)
    asked = len(index.asked)
    assert environment(files, offline=True).python == made.python
    assert len(index.asked) == asked


def test_installing_can_be_turned_off(environment, index):
    made = environment({"requirements.txt": "shop\n"}, install="never")
    assert "turned off" in said(made)
    assert index.asked == []


def test_nothing_declared_shares_our_interpreter(environment):
    made = environment({"app.py": ""})
    assert (made.python, made.hidden) == (Path(sys.executable), OUR_OWN)
    assert "declares no packages" in said(made)


def test_credentials_reach_the_index_and_nothing_else(environment, index, tmp_path, monkeypatch):
    monkeypatch.setenv("INDEX_SECRET", "me:hush-hush")
    index.wheel("shop", "1.0")
    files, folder = {"requirements.txt": "shop\n"}, tmp_path / "environments"
    made = environment(files, credentials="env:INDEX_SECRET", folder=folder)
    assert packages(made) == {"shop": "1.0"}
    assert any(index.logins)
    assert "hush" not in said(made)
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in kept if b"hush-hush" in path.read_bytes()]


def test_operators_variables_do_not_reach_the_installer(environment, index, monkeypatch):
    index.wheel("shop", "1.0")
    monkeypatch.setenv("UV_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_NO_BINARY", ":all:")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert packages(environment({"requirements.txt": "shop\n"})) == {"shop": "1.0"}


def test_start_files_of_packages_do_not_run_here(environment, index, tmp_path):
    canary = tmp_path / "ran"
    files = {"evil.pth": f"import pathlib; pathlib.Path({str(canary)!r}).touch()\n"}
    index.wheel("evil", "1.0", files=files)
    index.wheel("shop", "1.0")
    text = f"evil==1.0\nshop==1.0 --hash=sha256:{'0' * 64}\n"
    assert packages(environment({"requirements.txt": text})) == {"evil": "1.0"}
    assert not canary.exists()


def test_base_may_have_another_environment(settings, tree, index):
    for version in ("1.0", "2.0"):
        index.wheel("shop", version)
    head = tree({"requirements.txt": "shop==2.0"}, "head")
    base = tree({"requirements.txt": "shop==1.0"}, "base")
    python = Path(sys.executable)
    with Environments(settings(), python, lambda _: None, offline=False) as environments:
        first, second = environments.of_trees(head, base, ["app.py"])
        same = environments.of_trees(head, head, ["app.py"])
    assert [packages(first), packages(second)] == [{"shop": "2.0"}, {"shop": "1.0"}]
    assert second.notes[0].startswith("base: environment:")
    assert same[0] is same[1]


def test_other_interpreter_of_the_operator_is_used_as_it_is(settings, tree):
    python = Path("/usr/bin/another-python")
    with Environments(settings(), python, lambda _: None, offline=False) as environments:
        made = environments.of_tree(tree({"requirements.txt": "shop"}), ["app.py"])
    assert (made.python, made.hidden, made.layer) == (python, (), None)


def test_python_that_is_not_installed_is_said(environment, index):
    index.wheel("shop", "1.0")
    made = environment({"requirements.txt": "shop", ".python-version": "3.1"})
    assert packages(made) == {"shop": "1.0"}
    assert "asks for Python ==3.1.*, which is not installed" in said(made)


@pytest.fixture
def checkout(tree):
    from tests.end_to_end.repositories import git
    from worker.environments.environment_builder import frame

    root = tree({"app.py": "", ".gitignore": ".venv/\n"}, "checkout")
    git(root, "init", "--quiet")
    frame(root / ".venv", our_interpreter())
    return root


def test_developers_own_environment_comes_first(checkout, environment, index):
    own = developer_environment(checkout)
    made = environment({"requirements.txt": "shop"}, own=own)
    assert made.python == checkout / ".venv" / "bin" / "python"
    assert said(made).startswith("environment: .venv of the checkout, Python 3.")
    assert index.asked == []


def test_own_environment_is_passed_by_where_the_operator_says(checkout, environment, index):
    index.wheel("shop", "1.0")
    own = developer_environment(checkout)
    made = environment({"requirements.txt": "shop"}, own=own, install="always")
    assert packages(made) == {"shop": "1.0"}


def test_environment_that_git_tracks_is_a_strangers(checkout):
    from tests.end_to_end.repositories import git

    git(checkout, "add", "--force", ".venv/pyvenv.cfg")
    assert developer_environment(checkout) is None


def test_linked_environment_is_not_used(checkout, tmp_path):
    (checkout / ".venv").rename(tmp_path / "elsewhere")
    (checkout / ".venv").symlink_to(tmp_path / "elsewhere")
    assert developer_environment(checkout) is None


def test_lock_adds_nothing_of_its_own(environment, index, tree):
    index.wheel("shop", "1.0", requires=["till"])
    index.wheel("till", "1.0")
    files = {"pylock.toml": '[[packages]]\nname = "shop"\nversion = "1.0"\n'}
    assert read_declaration(tree(files), [], TargetPython("3.11.0")).complete
    assert packages(environment(files)) == {"shop": "1.0"}


def test_downloads_do_not_pile_up(environment, index, tmp_path):
    wishes = {"size": "1MiB", "folder": tmp_path / "environments"}
    index.wheel("shop", "1.0", files={"shop.py": "#" * 20_000, "bulk.txt": "x" * 300_000})
    made = environment({"requirements.txt": "shop"}, **wishes)
    assert packages(made) == {"shop": "1.0"}
    index.wheel("till", "1.0", files={"till.py": "", "bulk.txt": "y" * 300_000})
    environment({"requirements.txt": "till"}, name="other", **wishes)
    kept = sum(path.stat().st_size for path in wishes["folder"].glob("downloads/**/*.txt"))
    assert kept < 600_000
