"""A request that fails raises what the SDK itself raises, in every family of clients."""

import pytest

from tests.analyzers.guest.guests import literal

WORDS = literal("some words")
CHAT, MESSAGES = "openai.chat_completions", "anthropic.messages"
CONVERSE, GEMINI = "aws.bedrock-runtime.converse", "gemini.generate_content"
COMPREHEND, LANGUAGE = "aws.comprehend.detect_sentiment", "google.language.analyze_sentiment"
AZURE, HUB = "azure.language.analyze_sentiment", "huggingface.text_classification"
LATE = None
RAISED = (
    ("openai", CHAT, {400: "BadRequestError", 429: "RateLimitError", LATE: "APITimeoutError"}),
    ("openai", CHAT, {408: "APIStatusError", 409: "ConflictError", 500: "InternalServerError"}),
    ("anthropic", MESSAGES, {429: "RateLimitError", LATE: "APITimeoutError"}),
    ("anthropic", MESSAGES, {529: "OverloadedError"}),
    ("gemini", GEMINI, {429: "ClientError", 500: "ServerError", LATE: "ReadTimeout"}),
    ("bedrock", CONVERSE, {429: "ThrottlingException", LATE: "ReadTimeoutError"}),
    ("bedrock", CONVERSE, {400: "ValidationException", 500: "InternalServerException"}),
    ("comprehend", COMPREHEND, {429: "ClientError", 400: "InvalidRequestException"}),
    ("azure", AZURE, {429: "HttpResponseError", LATE: "ServiceResponseTimeoutError"}),
    ("google", LANGUAGE, {429: "ResourceExhausted", 400: "InvalidArgument"}),
    ("google", LANGUAGE, {500: "InternalServerError", LATE: "DeadlineExceeded"}),
    ("hugging_face", HUB, {429: "HfHubHTTPError", LATE: "InferenceTimeoutError"}),
    ("hugging_face_by_requests", HUB, {429: "HTTPError", 503: "HTTPError", LATE: "ReadTimeout"}),
    ("by_requests", CHAT, {500: "HTTPError", LATE: "ReadTimeout"}),
    ("by_httpx", CHAT, {500: "HTTPStatusError", LATE: "ReadTimeout"}),
    ("by_urllib", CHAT, {500: "HTTPError", LATE: "TimeoutError"}),
)
FAILURES = [
    (function, api, status, name)
    for function, api, raised in RAISED
    for status, name in raised.items()
]


@pytest.mark.parametrize(("function", "api", "status", "name"), FAILURES)
def test_failure_is_raised_as_the_sdk_does(warm, function, api, status, name) -> None:
    failed = {"late": True} if status is LATE else {"status": status}
    value = warm.value(("failing.py", function), WORDS, [(api, {"Delivery": failed})], "installed")
    shown = 504 if name == "DeadlineExceeded" else status
    assert value == repr((name, shown))


@pytest.mark.parametrize(
    ("function", "api", "answer", "name"),
    [
        (
            "openai_stream",
            CHAT,
            {"choices": [{"index": 0, "message": {"content": "hello there"}}]},
            "APIError",
        ),
        (
            "anthropic_stream",
            MESSAGES,
            {"content": [{"type": "text", "text": "hello there"}]},
            "APIStatusError",
        ),
        (
            "gemini_stream",
            GEMINI,
            {"candidates": [{"index": 0, "content": {"parts": [{"text": "hello there"}]}}]},
            "ServerError",
        ),
        (
            "bedrock_stream",
            CONVERSE,
            {"output": {"message": {"content": [{"text": "hello there"}]}}},
            "EventStreamError",
        ),
    ],
)
def test_stream_that_breaks_off_raises(warm, function, api, answer, name) -> None:
    place = ("failing.py", function)
    broken = {**answer, "Delivery": {"broken": True}}
    assert warm.value(place, WORDS, [(api, answer)], "installed") == "'no error'"
    assert warm.value(place, WORDS, [(api, broken)], "installed").startswith(f"('{name}'")


@pytest.mark.parametrize(
    ("function", "api", "raised"),
    [
        ("openai", CHAT, "('RateLimitError', None)"),
        ("bedrock", CONVERSE, "('ThrottlingException', 429)"),
        ("google", LANGUAGE, "('ResourceExhausted', 429)"),
        (
            *("old_azure", "azure.vision.describe_image"),
            "('ComputerVisionErrorResponseException', 429)",
        ),
    ],
)
def test_failure_without_the_sdk_has_its_name(warm, function, api, raised) -> None:
    script = [(api, {"Delivery": {"status": 429}})]
    assert warm.value(("failing.py", function), WORDS, script, "missing") == raised
