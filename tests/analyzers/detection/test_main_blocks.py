"""What a file runs only as a program is a function of its own, however the guard is spelled."""

import pytest

from analyzers import catalogue
from analyzers.detection import detect
from analyzers.vocabulary import ChangeSet, FileChange

CODE = """\
from google.cloud import vision
client = vision.ImageAnnotatorClient()
if {guard}:
    client.label_detection(image=1)
"""


@pytest.mark.parametrize(
    "guard", ['__name__ == "__main__"', "__name__=='__main__'", '"__main__" == __name__']
)
def test_guard_is_known(guard: str) -> None:
    texts = {"app.py": CODE.format(guard=guard)}
    changes = (FileChange("app.py", frozenset(range(1, 9))),)
    found = detect(
        ChangeSet("here", "b" * 40, None, changes, texts, {}),
        catalogue.load_catalogue(),
        everything=True,
    )
    assert [target.function for target in found.targets] == ["__main__"]
