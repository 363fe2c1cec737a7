import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers import catalogue
from worker.broker.request_admission import admit_request
from worker.engines.engine import ApiRequest, NoAnswer

LABELS = "google.vision.label_detection"
SENTIMENT = "google.language.analyze_sentiment"
OTHER = "nobody.describes_it"
APIS = catalogue.load_catalogue().apis.keys() | {OTHER}
HUGE = "x" * 999_999


def canonical(api, *parts, **more):
    return admit_request(api, ApiRequest(*parts, **more), APIS)


@pytest.mark.parametrize(
    ("api", "request_", "reason"),
    [
        (LABELS, ApiRequest(text="a"), "takes no text"),
        (SENTIMENT, ApiRequest(b"a"), "takes no file"),
        ("aws.comprehend.detect_sentiment", ApiRequest(uri="s3://b/k"), "takes no address"),
        (LABELS, ApiRequest(b"x" * 7_800_001), "at most 7800000 bytes, and was sent 7800001"),
        (SENTIMENT, ApiRequest(text="é" * 500_001), "at most 1000000 bytes"),
        ("aws.comprehend.detect_sentiment", ApiRequest(text="x" * 5001), "at most 5000"),
        (LABELS, ApiRequest(b"x", parameters={"max_results": -1}), "max_results.*minimum"),
        (LABELS, ApiRequest(b"x", parameters={"max_results": "9"}), "max_results.*type"),
        (LABELS, ApiRequest(b"x", parameters={"secret": 1}), "additionalProperties"),
        (
            LABELS,
            ApiRequest(b"x", parameters={"product_search_params": {"product_set": "p/1"}}),
            "additionalProperties",
        ),
        (LABELS, ApiRequest(b"x", parameters={"language_hints": ["en\r\nX: y"]}), "pattern"),
        (SENTIMENT, ApiRequest(text="x", parameters={"type": "PDF"}), "type.*enum"),
        (SENTIMENT, ApiRequest(text="x", parameters={"language": HUGE[:300]}), "language.*pattern"),
        (SENTIMENT, ApiRequest(uri=""), "asked nothing"),
    ],
)
def test_what_the_provider_does_not_take_is_refused(api, request_, reason):
    with pytest.raises(NoAnswer, match=reason) as refused:
        admit_request(api, request_, APIS)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"max_results": 7}, {"max_results": 7.0}),
        ({}, {"max_results": None}),
        ({}, {"language_hints": []}),
        (
            {"max_results": 7, "language_hints": ["en"]},
            {"language_hints": ["en"], "max_results": 7},
        ),
    ],
)
def test_one_meaning_has_one_digest(one, other):
    first, second = (canonical(LABELS, b"x", parameters=each) for each in (one, other))
    assert first == second
    assert first.digest(LABELS) == second.digest(LABELS)


def test_defaults_mean_nothing():
    plain = canonical(SENTIMENT, text="x")
    assert (
        canonical(SENTIMENT, text="x", parameters={"type": "PLAIN_TEXT", "language": ""}) == plain
    )
    assert canonical(SENTIMENT, text="x", parameters={"type": "HTML"}) != plain


def test_address_beside_the_file_is_left_out():
    assert canonical(LABELS, b"x", uri="https://thief.example/?") == canonical(LABELS, b"x")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
REQUESTS = st.builds(
    ApiRequest,
    st.none() | st.binary(max_size=50),
    st.text(max_size=50) | st.none(),
    st.text(max_size=50) | st.none(),
    st.dictionaries(st.text(), JSON, max_size=4),
).filter(lambda request: any((request.content, request.text, request.uri)))


def shuffled(value, chance):
    if isinstance(value, dict):
        items = [(key, shuffled(item, chance)) for key, item in value.items()]
        return dict(chance.sample(items, len(items)))
    if isinstance(value, list):
        return [shuffled(item, chance) for item in value]
    return float(value) if type(value) is int and abs(value) < 2**53 else value


steady = settings(deadline=None, derandomize=True, max_examples=100)


def written(request):
    """What tells questions apart: JSON knows ``true`` from ``1``, Python does not."""
    parameters = json.dumps(request.parameters, sort_keys=True)
    return request.content, request.text, request.uri, parameters


@steady
@given(REQUESTS)
def test_canonical_form_is_final(request):
    once = admit_request(OTHER, request, APIS)
    assert admit_request(OTHER, once, APIS) == once


@steady
@given(REQUESTS, st.integers())
def test_spelling_does_not_matter(request, seed):
    respelt = shuffled(dict(request.parameters), random.Random(seed))
    other = ApiRequest(request.content, request.text, request.uri, respelt)
    mine, theirs = (admit_request(OTHER, each, APIS) for each in (request, other))
    assert mine.digest(OTHER) == theirs.digest(OTHER)


@steady
@given(REQUESTS, REQUESTS)
def test_other_questions_have_other_digests(one, other):
    mine, theirs = (admit_request(OTHER, each, APIS) for each in (one, other))
    assert (mine.digest(OTHER) == theirs.digest(OTHER)) == (written(mine) == written(theirs))
    assert mine.digest(OTHER) != mine.digest(LABELS)
