"""Failing inputs that are kept for the repository's next runs."""

import json

import pytest

from analyzers.vocabulary import Form, InputArgument, LiteralArgument, Probe, RecipeArgument
from worker.executor.example_database import LARGEST, MOST, ExampleDatabase
from worker.executor.probe_codec import plain_input
from worker.runs.scheduler import delete_recordings

TARGET = "app.py::f"


def probe(source, **more):
    return Probe(TARGET, {"x": RecipeArgument(source), "n": LiteralArgument("1")}, **more)


def opened(folder, owner="github:a/b", *, writable=True):
    return ExampleDatabase.open(folder, owner, writable=writable)


def test_examples_are_there_in_the_next_run(tmp_path):
    failing = probe("tensor((1, 3), fill=nan)", ensures=("finite(result)",))
    opened(tmp_path).keep(TARGET, [failing])
    assert opened(tmp_path).of(TARGET) == (failing,)
    assert opened(tmp_path).of("app.py::g") == ()


def test_repositories_do_not_meet(tmp_path):
    opened(tmp_path).keep(TARGET, [probe("1")])
    assert opened(tmp_path, "github:a/c").of(TARGET) == ()


def test_newest_come_first_and_no_more_than_a_few(tmp_path):
    examples = opened(tmp_path)
    for number in range(MOST + 5):
        examples.keep(TARGET, [probe(str(number))])
    examples.keep(TARGET, [probe("7")])
    recipes = [each.arguments["x"].recipe for each in opened(tmp_path).of(TARGET)]
    assert recipes[:3] == ["7", str(MOST + 4), str(MOST + 3)]
    assert len(recipes) == len(set(recipes)) == MOST


def test_code_of_a_fork_leaves_nothing(tmp_path):
    opened(tmp_path).keep(TARGET, [probe("1")])
    fork = opened(tmp_path, writable=False)
    fork.keep(TARGET, [probe("2")])
    assert fork.of(TARGET) == (probe("2"), probe("1"))
    assert opened(tmp_path).of(TARGET) == (probe("1"),)


def test_without_a_folder_they_last_as_long_as_the_run():
    examples = ExampleDatabase()
    assert examples.of(TARGET) == ()
    examples.keep(TARGET, [probe("1")])
    assert examples.of(TARGET) == (probe("1"),)


def test_only_literals_and_recipes_are_kept(tmp_path):
    picture = InputArgument(Form.PIL, plain_input(Form.PIL, ""))
    opened(tmp_path).keep(TARGET, [Probe(TARGET, {"x": picture}), Probe(TARGET, {})])
    assert opened(tmp_path).of(TARGET) == ()
    assert not list(tmp_path.iterdir())


def test_file_stays_small(tmp_path):
    long = [probe(f'"{"x" * 19_000}{number}"') for number in range(MOST)]
    opened(tmp_path).keep(TARGET, long)
    kept = opened(tmp_path).of(TARGET)
    assert 0 < len(kept) < MOST
    assert all(file.stat().st_size <= LARGEST for file in tmp_path.rglob("*.json"))


def test_full_disk_keeps_them_in_memory(tmp_path):
    (tmp_path / "file").write_text("")
    examples = opened(tmp_path / "file")
    examples.keep(TARGET, [probe("1")])
    assert examples.of(TARGET) == (probe("1"),)


def test_repository_that_is_gone_leaves_none(tmp_path):
    opened(tmp_path).keep(TARGET, [probe("1")])
    delete_recordings(tmp_path, "github:a/b")
    assert opened(tmp_path).of(TARGET) == ()


def damage(**changes):
    found = {
        "schema": "assayer-examples/1",
        "target": TARGET,
        "probes": [{"arguments": {"x": {"kind": "made", "recipe": "1"}}, "ensures": []}],
    }
    return json.dumps({**found, **changes})


def arguments(given):
    return [{"arguments": given, "ensures": []}]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "[" * 100_000,
        damage(schema="other"),
        damage(target="app.py::g"),
        damage(probes={}),
        damage(probes=[1]),
        damage(probes=arguments({"x": {"kind": "made", "recipe": "a + b"}})),
        damage(probes=arguments({"x": {"kind": "literal", "source": "f()"}})),
        damage(probes=arguments({"x y": {"kind": "literal", "source": "1"}})),
        damage(probes=arguments({f"x{n}": {"kind": "inert"} for n in range(200)})),
        damage(probes=[{"arguments": {"x": {"kind": "inert"}}, "ensures": [1]}]),
        damage(probes=[{"arguments": {"x": {"kind": "inert"}}, "ensures": "a"}]),
        damage(probes=arguments({"x": {"kind": "inert"}})),
        damage(probes=arguments({"x": {"kind": "made", "recipe": "1"}}) * (MOST + 1)),
        damage(notes="x" * LARGEST),
    ],
)
def test_damaged_file_counts_as_none(text, tmp_path):
    opened(tmp_path).keep(TARGET, [probe("1")])
    (file,) = tmp_path.rglob("*.json")
    file.write_text(text)
    assert opened(tmp_path).of(TARGET) == ()


def test_undamaged_file_is_read(tmp_path):
    opened(tmp_path).keep(TARGET, [probe("2")])
    (file,) = tmp_path.rglob("*.json")
    file.write_text(damage())
    assert opened(tmp_path).of(TARGET) == (Probe(TARGET, {"x": RecipeArgument("1")}),)
