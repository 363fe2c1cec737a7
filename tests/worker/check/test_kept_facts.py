"""Files that earlier runs have read are not read again."""

import pytest

from analyzers.detection import file_facts
from worker.check import kept_facts
from worker.check.kept_facts import keep_facts, known_facts
from worker.check.result_store import FolderResults

TEXTS = [f"import torch\nimport os, json\n\nx = {n}\n" for n in range(300)]


@pytest.fixture
def store(tmp_path):
    return FolderResults(tmp_path, "owner")


@pytest.fixture
def read(monkeypatch):
    texts = []
    original = file_facts.imports
    monkeypatch.setattr(file_facts, "imports", lambda text: texts.append(text) or original(text))
    return texts


def run(store, texts):
    facts = known_facts(store, len(texts))
    found = [facts.of(text) for text in texts]
    assert all(not facts.unparsable(text) for text in texts[:5])
    keep_facts(store, facts)
    return found


def test_only_what_is_new_is_read(store, read):
    first = run(store, TEXTS)
    assert len(read) == len(TEXTS)
    second = run(store, [*TEXTS[5:], "import jax\n"])
    assert read[len(TEXTS) :] == ["import jax\n"]
    assert second[:-1] == first[5:]
    assert second[-1].frameworks


def test_facts_of_other_code_are_not_taken(store, read, monkeypatch):
    run(store, TEXTS)
    monkeypatch.setattr(kept_facts, "_state", lambda: "another")
    run(store, TEXTS)
    assert len(read) == 2 * len(TEXTS)


def test_damaged_facts_are_read_again(store, read, tmp_path):
    run(store, TEXTS)
    (file,) = tmp_path.rglob(kept_facts.NAME)
    file.write_bytes(file.read_bytes()[:100])
    run(store, TEXTS)
    assert len(read) == 2 * len(TEXTS)


def test_few_files_are_not_kept(store, tmp_path):
    run(store, TEXTS[:50])
    assert list(tmp_path.rglob("*.msgpack")) == []
