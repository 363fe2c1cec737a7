import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.vocabulary import Level, Status
from tests.worker.github_app.publishing.documents import document
from tests.worker.report import samples
from worker.github_app.publishing.check_runs import (
    APPLY,
    BASELINE,
    RERUN_4X,
    actions,
    annotations_of,
    batches,
    cut,
    examined_output,
    failed_output,
    in_repository,
)
from worker.report.markdown_report import NO_LINKS, size
from worker.report.stored_report import stored
from worker.store.conclusions import CheckConclusion

CRASH = samples.crash()


def read(*findings, **changes):
    return stored(document(*findings, **changes))


def offered(*findings):
    return actions(read(*findings), CheckConclusion.FAILURE)


def test_buttons_are_within_githubs_limits():
    for action in (RERUN_4X, BASELINE, APPLY):
        assert len(action.label) <= 20
        assert len(action.description) <= 40
        assert len(action.identifier) <= 20


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ((), (RERUN_4X,)),
        ((CRASH,), (RERUN_4X, BASELINE, APPLY)),
        ((samples.crash(suggestion=None),), (RERUN_4X, BASELINE)),
        ((samples.crash(level=Level.WARNING),), (RERUN_4X, APPLY)),
        ((samples.crash(status=Status.EXISTING),), (RERUN_4X,)),
    ],
)
def test_buttons_are_those_that_would_do_something(findings, expected):
    assert offered(*findings) == expected


def test_nothing_tested_has_no_buttons():
    assert actions(read(targets=()), CheckConclusion.NEUTRAL) == ()


@pytest.mark.parametrize("level", list(Level))
def test_annotation_levels_are_those_of_the_findings(level):
    [note] = annotations_of(read(samples.crash(level=level)))
    assert note.annotation_level == level.value
    assert (note.path, note.start_line, note.end_line) == ("shop/receipts.py", 12, 12)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.py", "a/../../x.py", "."])
def test_places_outside_the_repository_have_no_annotation(path):
    assert annotations_of(read(samples.crash(path=path))) == ()
    assert not in_repository(path)


def test_annotations_come_in_batches_of_fifty():
    many = [samples.crash(symbol=f"s{n}") for n in range(101)]
    assert [len(batch) for batch in batches(annotations_of(read(*many)))] == [50, 50, 1]


def test_messages_fit_in_bytes():
    [note] = annotations_of(read(samples.crash(message="é" * 100_000, title="é" * 400)))
    assert size(note.message) <= 65_536
    assert size(note.title) <= 255


def test_annotations_say_how_to_reproduce_and_to_silence():
    [note] = annotations_of(read(samples.low_recall()))
    assert "Recall: 4 of 10 inputs, 40 % (95 % interval 17–69 %); the threshold" in note.message
    assert "Reproduce: assayer check --base aaaaaaaaaaaa --target" in note.message
    assert note.message.endswith(f"/assayer ignore {samples.low_recall().fingerprint} reason…")


@settings(deadline=None)
@given(st.lists(st.text("aé💥 \n", min_size=1, max_size=60), min_size=1), st.integers(120, 600))
def test_cutting_keeps_whole_parts_and_says_where_the_rest_is(parts, limit):
    text = cut(parts, limit, "https://page.example")
    assert size(text) <= limit
    kept = text.split("\n---\n\n")
    if text == "\n---\n\n".join(parts):
        return
    assert parts[: len(kept) - 1] == kept[:-1]
    assert f"{len(parts) - len(kept) + 1} more finding" in kept[-1]
    assert "(https://page.example)" in kept[-1]


def test_output_has_the_details_in_its_text():
    said = examined_output(read(CRASH), CheckConclusion.FAILURE, NO_LINKS)
    assert said.text.startswith("#### `shop/receipts.py:12`\n\n**`total_of` raises IndexError")
    assert examined_output(read(), CheckConclusion.SUCCESS, NO_LINKS).text is None


def test_apology_links_to_the_page():
    said = failed_output(CheckConclusion.ACTION_REQUIRED, "id1", None, "https://p.example")
    assert "[What is known of it](https://p.example)" in said.summary
    assert said.title == "Could not decide: our side failed, not yours"
