import json
import multiprocessing

from worker.engines import ANY_ENGINE, Recordings

DIGEST = "a" * 64
API = "google.vision.label_detection"


def test_answer_is_found_again(tmp_path):
    Recordings(tmp_path).keep("engine-1", API, DIGEST, {"n": 1})
    assert Recordings(tmp_path).find("engine-1", API, DIGEST) == {"n": 1}


def test_engines_do_not_share_answers(tmp_path):
    recordings = Recordings(tmp_path)
    recordings.keep("engine/1", API, DIGEST, {"n": 1})
    recordings.keep("engine-1", API, DIGEST, {"n": 2})
    assert recordings.find("engine/1", API, DIGEST) == {"n": 1}
    assert recordings.find("engine-1", API, DIGEST) == {"n": 2}
    assert recordings.find("engine-2", API, DIGEST) is None


def test_any_engines_answer_replays(tmp_path):
    Recordings(tmp_path).keep("engine-1", API, DIGEST, {"n": 1})
    assert Recordings(tmp_path).find(ANY_ENGINE, API, DIGEST) == {"n": 1}
    assert Recordings(tmp_path).find(ANY_ENGINE, API, "b" * 64) is None


def test_memory_serves_without_a_folder():
    recordings = Recordings()
    recordings.keep("engine-1", API, DIGEST, {"n": 1})
    assert recordings.find("engine-1", API, DIGEST) == {"n": 1}
    assert recordings.find(ANY_ENGINE, API, DIGEST) == {"n": 1}


def test_damaged_file_counts_as_none(tmp_path):
    recordings = Recordings(tmp_path)
    recordings.keep("engine-1", API, DIGEST, {"n": 1})
    (file,) = tmp_path.rglob("*.json")
    for damage in (b"", b"{", b"[]", json.dumps({"answer": {"n": 2}}).encode(), b"\xff"):
        file.write_bytes(damage)
        assert recordings.find("engine-1", API, DIGEST) is None
    recordings.keep("engine-1", API, DIGEST, {"n": 3})
    assert recordings.find("engine-1", API, DIGEST) == {"n": 3}


def test_replay_only_adds_nothing(tmp_path):
    Recordings(tmp_path, writable=False).keep("engine-1", API, DIGEST, {"n": 1})
    assert list(tmp_path.iterdir()) == []


def test_names_never_leave_the_folder(tmp_path):
    inside = tmp_path / "inside"
    recordings = Recordings(inside)
    recordings.keep("../../escape", "../up", DIGEST, {"n": 1})
    recordings.keep("..", "..", "../../x", {"n": 2})
    assert recordings.find("../../escape", "../up", DIGEST) == {"n": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["inside"]


def test_unwritable_folder_is_no_failure(tmp_path):
    taken = tmp_path / "file"
    taken.write_text("")
    recordings = Recordings(taken)
    recordings.keep("engine-1", API, DIGEST, {"n": 1})
    assert recordings.find("engine-1", API, DIGEST) == {"n": 1}


def _write_many(folder, number):
    for _ in range(50):
        Recordings(folder).keep("engine-1", API, DIGEST, {"n": number, "pad": "x" * 50_000})


def test_parallel_writers_leave_whole_files(tmp_path):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_many, args=(tmp_path, n)) for n in range(3)]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        answer = Recordings(tmp_path).find("engine-1", API, DIGEST)
        if answer is not None:
            seen.add(answer["n"])
            assert len(answer["pad"]) == 50_000
    for writer in writers:
        writer.join()
    assert all(writer.exitcode == 0 for writer in writers)
    assert Recordings(tmp_path).find("engine-1", API, DIGEST)["n"] in range(3)
    assert seen <= {0, 1, 2}
    assert len(list(tmp_path.rglob("*.json"))) == len(
        [f for f in tmp_path.rglob("*") if f.is_file()]
    )
