"""One input has one answer in every format, and an invented one is called simulated."""

import re
from dataclasses import replace

import pytest

from analyzers.vocabulary import AnswerSource, Crashes, Exchange
from tests.worker.report import samples
from tests.worker.report.rendering import to_markdown, to_text
from worker.report.answered_inputs import answered_inputs
from worker.report.artifacts import write_artifacts
from worker.report.html_report import to_html
from worker.report.json_report import report_document
from worker.report.replay_file import read_replay
from worker.report.report_page import page_view
from worker.report.reproducer import reproducer

API = "google.vision.label_detection"


def shown(*sources):
    """A report on one picture that was run once with the answer of each source, in their order."""
    probe = samples.low_recall().probes[0]
    probes = [
        replace(probe, script=(Exchange(API, "", _labels(f"Word{number}"), source),))
        for number, source in enumerate(sources)
    ]
    found = samples.low_recall(
        probes=tuple(probes),
        criterion=Crashes("IndexError", "shop/alarm.py", "Alarm.check"),
        evidence={},
        suggestion=None,
    )
    return replace(samples.full_report(), findings=(found,))


def _labels(name):
    return {"label_annotations": [{"description": name, "score": 0.9}]}


def formats(report):
    document = report_document(report)
    card = page_view(document, str).findings[0].groups[0].cards[0]
    return {
        "text": to_text(report),
        "markdown": to_markdown(report),
        "html": to_html(report),
        "page": f"{card.answer} ({card.origin})",
    }


@pytest.mark.parametrize("name", ["text", "markdown", "html", "page"])
def test_every_format_shows_one_answer(name):
    said = formats(shown(AnswerSource.PROVIDER, AnswerSource.PROVIDER))[name]
    assert "Word0" in said
    assert "Word1" not in said


@pytest.mark.parametrize("name", ["text", "markdown", "html", "page"])
@pytest.mark.parametrize(
    ("source", "words"),
    [(AnswerSource.SIMULATED, "Word0 (simulated)"), (AnswerSource.LOCAL, "Word0 (local stand-in)")],
)
def test_origin_of_answer_is_named(name, source, words):
    assert words in re.sub(r"</?b>", "", formats(shown(source))[name])


def test_answer_of_the_failing_run_is_shown():
    found = samples.low_recall()
    again = replace(found.probes[0], script=(samples.labels("Flame"),))
    [first, *_] = answered_inputs(
        replace(found, probes=(found.probes[0], again), evidence={"missed": [1]})
    )
    assert (first.answer, first.failing) == ("Flame", True)


def test_document_marks_simulated_answers():
    [finding] = report_document(shown(AnswerSource.SIMULATED))["findings"]
    assert finding["inputs"][0]["simulated"] is True
    [finding] = report_document(shown(AnswerSource.PROVIDER))["findings"]
    assert finding["inputs"][0]["simulated"] is False


@pytest.mark.parametrize("source", [AnswerSource.SIMULATED, AnswerSource.LOCAL])
def test_replay_keeps_the_origin(tmp_path, source):
    [found] = shown(source).findings
    artifacts = write_artifacts(shown(source), tmp_path, samples.SOURCES)
    read = read_replay(artifacts.files[found.fingerprint].replay)
    assert [each.source for probe in read.probes for each in probe.script] == [source]


def test_reproducer_names_simulated_answers():
    [simulated] = shown(AnswerSource.SIMULATED).findings
    [provided] = shown(AnswerSource.PROVIDER).findings
    assert "are simulated below" in " ".join(_comments(simulated).split())
    assert "imulated" not in _comments(provided)


def _comments(found):
    text = reproducer(found, samples.SOURCES)
    return "\n".join(line.strip(" #") for line in text.splitlines() if "#" in line)
