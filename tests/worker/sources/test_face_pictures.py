import pytest

from analyzers.vocabulary import InputRequest
from tests.worker.sources.test_corners import faces_on
from worker.sources import face_pictures
from worker.sources.source_selection import Sources

FACES = "google.vision.face_detection"


def find(reading, count=10):
    return Sources().find(InputRequest(FACES, reading), count, 0)


@pytest.mark.parametrize("reading", ["human face", "Face", "a face"])
def test_faces_are_here(reading):
    supply = find(reading)
    assert supply.shortfall is None
    assert {item.reading for item in supply.inputs} == {reading}


def test_anybody_sees_a_face():
    assert sum(faces_on(item) > 0 for item in find("human face").inputs) >= 7


def test_no_face_comes_twice_and_they_run_out():
    supply = find("human face", 1000)
    assert len({item.digest for item in supply.inputs}) == len(supply.inputs) > 80
    assert str(len(supply.inputs)) in supply.shortfall


@pytest.mark.parametrize("reading", ["joyful human face", "angry human face"])
def test_feelings_want_a_source_of_pictures(reading):
    supply = find(reading)
    assert supply.inputs == ()
    assert "no known feeling" in supply.shortfall
    assert "[sources.images]" in supply.shortfall


def test_faces_come_from_the_configured_source_first():
    class Album:
        def find(self, wanted, count, seed):
            return face_pictures.find(InputRequest(FACES, "face"), 1, 7)

    assert len(Sources(Album()).find(InputRequest(FACES, "joyful human face"), 5, 0).inputs) == 1
