import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from analyzers.vocabulary import Input, InputKind, Origin
from tests.worker.report import samples
from worker.report.artifacts import write_artifacts
from worker.report.html_report import HEIGHT, WIDTH, thumbnail, to_html
from worker.report.report_page import MAX_INPUTS


class Reader(HTMLParser):
    """Notes tags, addresses, the style and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.addresses, self.metas = [], [], {}
        self.style = self.text = ""
        self.styled = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append((tag, values))
        self.addresses += [v for k, v in attributes if k in ("src", "href", "xlink:href")]
        self.styled += [k for k, _ in attributes if k == "style" or k.startswith("on")]
        if tag == "meta" and "http-equiv" in values:
            self.metas[values["http-equiv"]] = values["content"]

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "style" and not self.style:
            self.style = data
        self.text += data


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    report, folder = samples.full_report(), tmp_path_factory.mktemp("page")
    return Reader(to_html(report, write_artifacts(report, folder, samples.SOURCES)))


def test_needs_nothing_from_outside(page):
    assert page.addresses
    assert all(
        address.startswith(("data:image/", "#")) for address in page.addresses if ":" in address
    )
    assert not {"link", "iframe", "object", "form"} & {tag for tag, _ in page.tags}


def test_policy_allows_its_style_alone(page):
    policy = page.metas["Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"style-src 'sha256-{digest}';" in policy
    assert page.styled == []


def test_findings_show_inputs_and_answers(page):
    assert "3 new findings block" in page.text
    assert "Missed the branch (6)" in page.text
    assert "Reached it (4)" in page.text
    assert "Flame, Heat" in page.text
    assert "What a lovely day" in page.text
    assert "score -0.8, magnitude 0.8" in page.text
    assert '+        if {"Fire", "Flame"} & set(self.names):' in page.text
    assert "no source of faces works offline" in page.text


def test_every_picture_is_described(page):
    pictures = [values for tag, values in page.tags if tag == "img"]
    assert len(pictures) == 13
    assert all(values["alt"] for values in pictures)


def test_recall_is_drawn_with_its_interval(page):
    labels = [values.get("aria-label", "") for tag, values in page.tags if tag == "svg"]
    assert any("95 % interval 17–69 %), threshold 75 %" in label for label in labels)
    assert "var(--bad)" in {values.get("fill") for _, values in page.tags}


def test_hostile_text_is_escaped():
    hostile = '<script>alert(1)</script> `<b>` " onload=x'
    finding = samples.crash(title=hostile, message=hostile, path=hostile)
    page = Reader(to_html(samples.report(finding, repository=hostile, environment=(hostile,))))
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert page.styled == []
    assert "<script>alert(1)</script>" in page.text


def test_large_pictures_are_reduced():
    uri = thumbnail(noise(1600, 1200))
    assert uri.startswith("data:image/jpeg;base64,")
    assert size_of(uri) == (WIDTH, HEIGHT)


def noise(width, height):
    import io

    import numpy
    from PIL import Image

    pixels = numpy.random.default_rng(1).integers(0, 255, (height, width, 4), dtype="uint8")
    buffer = io.BytesIO()
    Image.fromarray(pixels, "RGBA").save(buffer, "PNG")
    return buffer.getvalue()


def size_of(uri):
    import io

    from PIL import Image

    return Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))).size


@pytest.mark.parametrize("content", [b"", b"no picture", samples.picture("x")[:200]])
def test_broken_pictures_are_left_out(content):
    assert thumbnail(content) is None


def test_broken_pictures_keep_their_words():
    finding = samples.crash()
    probe = finding.probes[0]
    item = replace(probe.inputs[0], content=b"broken")
    page = Reader(to_html(samples.report(replace(finding, probes=(probe.with_input(item),)))))
    assert "a blank white picture" in page.text
    assert page.addresses == []


def test_many_inputs_are_bounded():
    finding = samples.crash()
    probes = tuple(
        finding.probes[0].with_input(samples.image(f"n{n}")) for n in range(MAX_INPUTS + 5)
    )
    page = to_html(samples.report(replace(finding, probes=probes)))
    assert page.count("<img ") == MAX_INPUTS
    assert "and 5 more" in page


def test_changed_outcomes_are_a_table():
    page = Reader(to_html(samples.report(samples.changed())))
    assert "pictures of “Fire”2 of 3'alarm''quiet'" in page.text


def test_clean_page_has_no_findings():
    page = Reader(to_html(samples.report()))
    assert "No new findings" in page.text
    assert "article" not in {tag for tag, _ in page.tags}
    assert re.search(r"4 of 4", page.text)


def test_what_a_repair_brings_is_shown_with_its_interval(page):
    assert "on the half that they were not chosen on: 100 % (95 % interval 57–100 %)" in page.text
    assert "on the half that it was not chosen on: 100 % (95 % interval 44–100 %)" in page.text


def test_recordings_can_be_played():
    finding = samples.crash()
    heard = Input(InputKind.AUDIO, b"RIFF", "“stop”, spoken", "stop", ".wav", Origin("spoken"))
    probe = finding.probes[0].with_input(heard)
    page = Reader(to_html(samples.report(replace(finding, probes=(probe,)))))
    [player] = [values for tag, values in page.tags if tag == "audio"]
    assert player["src"] == "data:audio/wav;base64," + base64.b64encode(b"RIFF").decode()
    assert player["aria-label"] == "“stop”, spoken"
    assert "media-src data:;" in page.metas["Content-Security-Policy"]


def test_what_a_repair_brings_is_drawn_green(page):
    assert "var(--good)" in {values.get("fill") for _, values in page.tags}


def test_sentiment_is_drawn_with_the_old_and_the_new_line(page):
    labels = [values.get("aria-label", "") for tag, values in page.tags if tag == "svg"]
    [drawn] = [label for label in labels if "texts by score" in label]
    assert drawn == "6 texts by score and magnitude; current: magnitude 0.5; suggested: score 0.25"


def test_fix_is_a_diff_before_the_marked_code(page):
    text = page.text
    assert '-        if "Fire" in self.names:' in text
    assert text.index('+        if {"Fire", "Flame"}') < text.index("The code")
    assert any("marked" in (values.get("class") or "") for _, values in page.tags)


def test_five_hundred_findings_stay_below_half_a_megabyte():
    finding = samples.crash()
    many = [replace(finding, line=n, symbol=f"a.py::f{n}") for n in range(500)]
    page = to_html(samples.report(*many))
    assert len(re.sub(r'"data:[^"]*"', "", page)) < 500_000
