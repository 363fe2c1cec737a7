"""Every way to ask Google's APIs, with the SDKs and without them."""

from typing import Any

import pytest

from tests.analyzers.guest.guests import content, labels, literal

PROJECT = "google"
PICTURE = content("bytes")
FILE = content("path")
WORDS = literal("some words")
SOUND = content("bytes")
LINK = literal("gs://bucket/speech.flac")
FOOD = labels(("Food", 0.9), ("Dish", 0.7))
HEARD = {"results": [{"alternatives": [{"transcript": "hello", "confidence": 0.75}]}]}
ANSWERS: dict[str, Any] = {
    "google.vision.label_detection": FOOD,
    "google.vision.text_detection": {"text_annotations": [{"description": "hi"}]},
    "google.vision.document_text_detection": {"full_text_annotation": {"text": "page"}},
    "google.vision.face_detection": {"face_annotations": [{"joy_likelihood": "LIKELY"}]},
    "google.vision.landmark_detection": {
        "landmark_annotations": [{"locations": [{"lat_lng": {"latitude": 48.5}}]}]
    },
    "google.vision.logo_detection": {"logo_annotations": [{"description": "Brand"}]},
    "google.vision.object_localization": {"localized_object_annotations": [{"name": "Cat"}]},
    "google.vision.safe_search_detection": {"safe_search_annotation": {"adult": "POSSIBLE"}},
    "google.vision.image_properties": {
        "image_properties_annotation": {"dominant_colors": {"colors": [{"score": 0.25}]}}
    },
    "google.vision.web_detection": {"web_detection": {"web_entities": [{"description": "Pie"}]}},
    "google.vision.crop_hints": {
        "crop_hints_annotation": {"crop_hints": [{"importance_fraction": 0.5}]}
    },
    "google.vision.product_search": {
        "product_search_results": {"results": [{"product": {"display_name": "Shoe"}}]}
    },
    "google.language.analyze_sentiment": {"document_sentiment": {"score": 0.5}, "language": "de"},
    "google.language.analyze_entities": {"entities": [{"name": "Rome", "type_": "LOCATION"}]},
    "google.language.analyze_entity_sentiment": {"entities": [{"sentiment": {"magnitude": 2.0}}]},
    "google.language.classify_text": {"categories": [{"name": "/Food"}]},
    "google.language.moderate_text": {"moderation_categories": [{"name": "Toxic"}]},
    "google.language.analyze_syntax": {"tokens": [{"part_of_speech": {"tag": "NOUN"}}]},
    "google.speech.recognize": HEARD,
    "google.speech.long_running_recognize": HEARD,
    "google.speech.streaming_recognize": HEARD,
}
HELPERS = {
    "label_detection": "'Food'",
    "text_detection": "'hi'",
    "document_text_detection": "'page'",
    "face_detection": "'LIKELY'",
    "landmark_detection": "48.5",
    "logo_detection": "'Brand'",
    "object_localization": "'Cat'",
    "safe_search_detection": "'POSSIBLE'",
    "image_properties": "0.25",
    "web_detection": "'Pie'",
    "crop_hints": "0.5",
    "product_search": "'Shoe'",
}
LABELLED = "['Food', 'Dish']"
VISION = [
    *[(f"helper:{name}", PICTURE, value) for name, value in HELPERS.items()],
    ("by_rest_transport", PICTURE, LABELLED),
    ("in_batch", PICTURE, f"[{LABELLED}, {LABELLED}]"),
    ("in_request", PICTURE, LABELLED),
    ("with_all_features", PICTURE, f"({LABELLED}, 'hi')"),
    ("from_open_file", FILE, LABELLED),
    ("later", PICTURE, f"[{LABELLED}, {LABELLED}]"),
    ("with_accounts", PICTURE, "[" + ", ".join([LABELLED] * 6) + "]"),
]
ANALYSES = {
    "analyze_sentiment": "0.5",
    "analyze_entities": "'LOCATION'",
    "classify_text": "'/Food'",
    "moderate_text": "'Toxic'",
    "annotate_text": "(0.5, 'Rome')",
}
ONLY_FIRST = {"analyze_entity_sentiment": "2.0", "analyze_syntax": "'NOUN'"}
STYLES = ("keywords", "request", "positional", "later", "rest")
LANGUAGE = [
    *[
        (f"{version}:{method}:keywords", WORDS, value)
        for version in ("v1", "v1beta2", "v2")
        for method, value in {**ANALYSES, **({} if version == "v2" else ONLY_FIRST)}.items()
    ],
    *[
        (f"{version}:{method}:{style}", WORDS, ANALYSES[method])
        for version, method in (("v1", "annotate_text"), ("v2", "analyze_entities"))
        for style in STYLES[1:]
    ],
    ("in_language", WORDS, "'de'"),
]
SPEECH = [
    ("recognize", SOUND, "(['hello'], True)"),
    ("by_request", SOUND, "['hello']"),
    ("in_beta", SOUND, "['hello']"),
    ("by_uri", LINK, "(True, ['hello'])"),
    ("in_stream", SOUND, "[(['hello'], True)]"),
    ("later", SOUND, "['hello', 'hello', 'hello']"),
    ("second_version", SOUND, "['hello']"),
    ("second_version_in_batch", LINK, "['hello']"),
    ("second_version_in_stream", SOUND, "[['hello']]"),
]
CASES = [
    *[("pictures.py", *case) for case in VISION],
    *[("words.py", *case) for case in LANGUAGE],
    *[("sounds.py", *case) for case in SPEECH],
    ("first_sounds.py", "recognize", SOUND, "[('hello', 0.75)]"),
    ("first_sounds.py", "in_time", SOUND, "'hello'"),
    ("old_sounds.py", "recognize", SOUND, "['hello']"),
    ("old_sounds.py", "in_stream", SOUND, "['hello']"),
    ("old_sounds.py", "in_time", SOUND, "'hello'"),
    ("discovered.py", "picture", PICTURE, LABELLED),
    ("discovered.py", "words", WORDS, "'Rome'"),
    ("discovered.py", "sound", SOUND, "('hello', 0.75)"),
]
SCRIPT = list(ANSWERS.items())


@pytest.mark.parametrize(("file", "function", "argument", "value"), CASES)
def test_every_way_of_asking_is_answered(warm, python, file, function, argument, value) -> None:
    ending = warm.run((file, function), argument, SCRIPT, python)["ending"]
    assert ending == {"kind": "returned", "value": value}


@pytest.mark.parametrize(
    ("file", "functions", "argument"),
    [
        ("pictures.py", ("by_rest_transport", "in_request", "from_open_file"), None),
        ("words.py", [f"v1:analyze_sentiment:{style}" for style in STYLES], WORDS),
        ("sounds.py", ("recognize", "by_request", "in_beta"), SOUND),
    ],
)
def test_a_question_has_one_digest_however_asked(warm, file, functions, argument) -> None:
    digests = set()
    for python in ("installed", "missing"):
        for function in functions:
            given = argument or (FILE if function == "from_open_file" else PICTURE)
            for exchange in warm.run((file, function), given, SCRIPT, python)["exchanges"]:
                digests.add((exchange["api"], exchange["digest"]))
    assert len(digests) == 1


def test_host_hears_what_the_speech_request_means(warm, python) -> None:
    functions = ("recognize", "in_stream", "second_version")
    first, stream, second = (
        asked
        for function in functions
        for asked in warm.requests(("sounds.py", function), SOUND, HEARD, python)
    )
    told = {"encoding": "LINEAR16", "sample_rate_hertz": 16000, "language_code": "en-US"}
    assert first["content"] == stream["content"] == b"picture"
    assert first["parameters"] == stream["parameters"] == told
    assert second["parameters"]["language_code"] == "en-US"
    assert second["parameters"]["model"] == "long"


def test_real_sdk_serves_where_it_is_installed(warm) -> None:
    for file in ("pictures.py", "words.py", "sounds.py"):
        assert warm.standins(file, "installed") == [], file


# ------------------------------------------------------------- no answer


@pytest.mark.parametrize("file", ["errors.py", "discovered.py"])
def test_refused_call_raises_the_sdks_exception(warm, python, file) -> None:
    result = warm.run((file, "handled"), PICTURE, None, python)
    assert result["ending"]["kind"] == "not-run"
    assert "label_detection: no engine" in result["ending"]["reason"]
    assert result["seconds"] < 10


@pytest.mark.parametrize("function", ["tried_again", "with_retry", "of_speech"])
def test_refused_call_never_waits_for_retries(warm, python, function) -> None:
    result = warm.run(("errors.py", function), PICTURE, None, python)
    assert result["ending"]["kind"] == "not-run", result
    assert "no engine" in result["ending"]["reason"]
    assert result["seconds"] < 10


def test_what_is_not_described_is_refused_by_name(warm, python) -> None:
    ending = warm.run(("pictures.py", "of_files"), PICTURE, None, python)["ending"]
    assert ending["kind"] == "not-run"
    assert ending["reason"].startswith("google.vision.async_batch_annotate_files")


@pytest.mark.parametrize(
    ("function", "exception"), [("misspelt", "TypeError"), ("given_twice", "ValueError")]
)
def test_misuse_of_a_client_is_the_sdks_error(warm, function, exception) -> None:
    ending = warm.run(("pictures.py", function), PICTURE, SCRIPT, "installed")["ending"]
    assert (ending["exception"], ending["function"]) == (exception, function)
    assert ending["standin"] is False
