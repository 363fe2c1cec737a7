"""A photo booth that writes a caption under each picture."""

from pathlib import Path

from google.cloud import vision

OUTPUT = Path(__file__).parent / "captions"


def faces_on(path):
    client = vision.ImageAnnotatorClient()
    image = vision.Image(content=Path(path).read_bytes())
    return client.face_detection(image=image, max_results=20).face_annotations


def caption(path):
    """A caption by the number of faces."""
    faces = faces_on(path)
    if len(faces) == 0:
        return "Nobody home"
    if len(faces) == 1:
        return "Portrait"
    if len(faces) >= 5:
        return "Party!"
    return f"{len(faces)} friends"


def save(path):
    OUTPUT.mkdir(exist_ok=True)
    target = OUTPUT / (Path(path).stem + ".txt")
    target.write_text(caption(path), encoding="utf-8")
    return target
