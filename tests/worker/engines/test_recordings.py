import json
import multiprocessing
import os
import time

from worker.engines.recordings import ANY_ENGINE, RecordingLimits, Recordings, sweep

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


# ------------------------------------------------------------------- limits


def filled(folder, count, age=0.0, size=1000):
    """Recordings of about ``size`` bytes, the first the oldest, a minute apart."""
    digests = [f"{number:064x}" for number in range(count)]
    recordings = Recordings(folder)
    now = time.time()
    for number, digest in enumerate(digests):
        recordings.keep("engine-1", API, digest, {"n": number, "pad": "x" * size})
        used = now - age - 60 * (count - number)
        for file in folder.rglob(f"{digest}.json"):
            os.utime(file, (used, used))
    return digests


def kept(folder, digests):
    recordings = Recordings(folder, writable=False)
    return [d for d in digests if recordings.find("engine-1", API, d) is not None]


def test_least_lately_used_go_first(tmp_path):
    digests = filled(tmp_path, 20)
    Recordings(tmp_path).find("engine-1", API, digests[0])
    for file in tmp_path.rglob(f"{digests[0]}.json"):
        os.utime(file)
    sweep(tmp_path, RecordingLimits(size=15_000), time.time())
    left = kept(tmp_path, digests)
    assert left[0] == digests[0]
    assert left[1:] == digests[-len(left) + 1 :]
    assert 5 <= len(left) <= 11


def test_small_store_is_left_alone(tmp_path):
    digests = filled(tmp_path, 10)
    sweep(tmp_path, RecordingLimits(), time.time())
    assert kept(tmp_path, digests) == digests


def test_old_ones_go(tmp_path):
    digests = filled(tmp_path, 4, age=91 * 86_400)
    (fresh,) = filled(tmp_path / "later", 1)
    sweep(tmp_path, RecordingLimits(days=90), time.time())
    assert kept(tmp_path, digests) == []
    assert kept(tmp_path / "later", [fresh]) == [fresh]


def test_use_makes_a_recording_young(tmp_path):
    (digest,) = filled(tmp_path, 1, age=89 * 86_400)
    assert Recordings(tmp_path).find("engine-1", API, digest) == {"n": 0, "pad": "x" * 1000}
    sweep(tmp_path, RecordingLimits(days=1), time.time())
    assert kept(tmp_path, [digest]) == [digest]


def test_replay_makes_nothing_young(tmp_path):
    (digest,) = filled(tmp_path, 1, age=89 * 86_400)
    Recordings(tmp_path, writable=False).find("engine-1", API, digest)
    sweep(tmp_path, RecordingLimits(days=1), time.time())
    assert kept(tmp_path, [digest]) == []


def test_flood_sweeps_itself(tmp_path):
    recordings = Recordings(tmp_path, limits=RecordingLimits(size=50_000))
    for number in range(300):
        recordings.keep("engine-1", API, f"{number:064x}", {"pad": "x" * 1000})
    size = sum(file.stat().st_size for file in tmp_path.rglob("*.json"))
    assert 10_000 < size < 80_000


def test_flood_of_one_store_leaves_others(tmp_path):
    digests = filled(tmp_path / "mine", 3)
    flooding = Recordings(tmp_path / "theirs", limits=RecordingLimits(size=10_000), root=tmp_path)
    for number in range(100):
        flooding.keep("engine-1", API, f"{number:064x}", {"pad": "x" * 1000})
    assert kept(tmp_path / "mine", digests) == digests


def test_memory_holds_the_newest(monkeypatch):
    monkeypatch.setattr("worker.engines.recordings.MOST_MEMORY", 10_000)
    recordings = Recordings()
    for number in range(100):
        recordings.keep("engine-1", API, f"{number:064x}", {"pad": "x" * 1000})
    found = [recordings.find("engine-1", API, f"{n:064x}") is not None for n in range(100)]
    assert not found[0]
    assert found[99]
    assert 5 <= sum(found) <= 10


def test_paid_answers_are_synced(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    Recordings(tmp_path).keep("engine-1", API, DIGEST, {"n": 1})
    assert synced == []
    Recordings(tmp_path).keep("engine-1", API, "b" * 64, {"n": 1}, durable=True)
    assert len(synced) == 2


def test_nobody_else_reads_them(tmp_path):
    place = tmp_path / "recordings"
    Recordings(place / "of-app", root=place).keep("engine-1", API, DIGEST, {"n": 1})
    (file,) = place.rglob("*.json")
    assert file.stat().st_mode & 0o077 == 0
