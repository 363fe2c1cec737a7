"""Shapes of a language model's answer, as its SDK declares them.

The guest makes an answer in a shape (``analyzers/guest/search/answer_shapes.py``), where the
request that the code sent allows it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from analyzers.catalogue import Api
from analyzers.vocabulary import Level, Raised

_NONE = r"NoneType"
_EMPTY = r"^(IndexError|StopIteration)\b"
_BLOCK = (
    r"^AttributeError: '\w*(Block|Record|Part|ToolCall|Item|Refusal)\w*'"
    r"|^KeyError: '(text|message|content)'"
)
_PARSED = r"^[\w.]*JSONDecodeError\b|^SyntaxError\b"
_UNBOUND = r"^UnboundLocalError\b"

CHAT, RESPONSES = "openai.chat_completions", "openai.responses"
MESSAGES, CONTENT = "anthropic.messages", "gemini.generate_content"
CONVERSE = "aws.bedrock-runtime.converse"
HUB, COHERE = "huggingface.chat_completion", "cohere.chat"


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """One shape of an answer.

    ``words`` continue "when".  ``cause`` is the part of the request that makes it possible, in
    words; where the code itself ``asks`` for it, a crash is a failure.  ``explains`` is a pattern
    of the exceptions (``Type: message``) that the shape itself can cause.  ``beside`` is a shape
    that differs in nothing else: a crash on that one has another cause.  ``declared`` cites the
    SDK, by API.  ``written``: only JSON that is asked for in words has the shape.
    ``rare``: a crash is a notice.
    """

    name: str
    words: str
    explains: str
    declared: Mapping[str, str]
    cause: str = ""
    asks: bool = False
    beside: str = ""
    written: bool = False
    rare: bool = False

    @property
    def level(self) -> Level:
        """The level of a crash on the shape."""
        if self.asks:
            return Level.FAILURE
        return Level.NOTICE if self.rare else Level.WARNING

    def is_cause_of(self, ending: Raised) -> bool:
        """Return whether the shape can be why a run raised."""
        said = f"{ending.exception}: {ending.message}"
        return re.search(self.explains, said) is not None


_DELTA = "`content: Optional[str]` of `ChoiceDelta`, openai 3.54"
_CHUNK = "`choices: List[Choice]` of `ChatCompletionChunk`, which may be empty, openai 3.54"
_USAGE = (
    '`choices: List[Choice]` of `ChatCompletionChunk`: "Can also be empty for the last chunk if'
    ' you set stream_options: {include_usage: true}", openai 3.54'
)
_ARGUMENTS = '`arguments: str`: "the model does not always generate valid JSON", openai 3.54'
_MESSAGE = "`content: Optional[str]` of `ChatCompletionMessage`, openai 3.54"
_BLOCKS = "`content: List[ContentBlock]` of `Message`, a union of which `{}` has no `text`"
_TEXT = "`text: Optional[str]` and `candidates: Optional[list[Candidate]]`, google-genai 3.6"
_PROPERTY = (
    '`text`: "Raises: ValueError: If the candidate list or parts list does not contain exactly one'
    ' entry", google-generativeai 0.8'
)
_NO_TEXT = r"^ValueError: .*(quick accessor|has no candidates|no parts|response text)"
_PARTS = "`parts: Optional[list[Part]]` and `text: Optional[str]`, google-genai 3.6"
_UNION = "`ContentBlock` of `Converse` is a union: a `{}` block has no `text`, boto3 1.44"

_INCOMPLETE = (
    "`status: Optional[ResponseStatus]` and `incomplete_details: Optional[IncompleteDetails]`,"
    " openai 3.54"
)
_REASONING = "`content: Optional[List[Content]]` of `ResponseReasoningItem`"
_ITEMS = "`output: List[ResponseOutputItem]`, a union of which `{}` has no `content`, openai 3.54"
_ANY_TEXT = {
    CHAT: "`content: Optional[str]`, which is any text, openai 3.54",
    RESPONSES: "`output_text: str`, which is any text, openai 3.54",
    MESSAGES: "`text: str` of `TextBlock`, which is any text, anthropic 2.14",
    CONTENT: "`text: Optional[str]`, which is any text, google-genai 3.6",
    CONVERSE: "`text` of `ContentBlock`, which is any text, boto3 1.44",
    HUB: "`content: Optional[str]`, which is any text, huggingface_hub 2.4",
    COHERE: "`text: str` of `TextAssistantMessageResponseContentItem`, which is any text,"
    " cohere 7.3",
}
_FENCED = AnswerShape(
    "fenced",
    "the model writes the JSON in a code fence",
    _PARSED,
    _ANY_TEXT,
    "a text that asks for JSON",
    written=True,
)
_LIMITED = {
    CHAT: '`finish_reason: Literal["stop", "length", …]`: "`length` if the maximum number of'
    ' tokens specified in the request was reached", openai 3.54',
    RESPONSES: _INCOMPLETE,
    MESSAGES: '`stop_reason: Optional[StopReason]`, which may be "max_tokens", anthropic 2.14',
    CONTENT: "`finish_reason: Optional[FinishReason]`, which may be `MAX_TOKENS`, google-genai 3.6",
    CONVERSE: "`stopReason`, which may be `max_tokens`, boto3 1.44",
    HUB: '`finish_reason: str`, which is "length" where the limit of tokens ends the answer,'
    " huggingface_hub 2.4",
    COHERE: '`finish_reason: ChatFinishReason`, which may be "MAX_TOKENS", cohere 7.3',
}

SHAPES = (
    AnswerShape(
        "stream-end",
        "the last chunk of a stream has no text",
        _NONE,
        {CHAT: _DELTA},
        "`stream=True`",
        asks=True,
    ),
    AnswerShape(
        "usage-chunk",
        "the last chunk of the stream has no choices",
        _EMPTY,
        {CHAT: _USAGE},
        '`stream_options={"include_usage": True}`',
        asks=True,
    ),
    AnswerShape(
        "filter-chunk",
        "the first chunk of the stream has the content filter's results and no choices",
        _EMPTY,
        {CHAT: _CHUNK},
        "a stream of Azure OpenAI",
    ),
    AnswerShape(
        "unasked-usage",
        "the last chunk of the stream has no choices, but the usage that the server sends unasked",
        _EMPTY,
        {CHAT: _CHUNK},
        "a stream of OpenRouter, or of another server that does so",
    ),
    AnswerShape(
        "thinking",
        "the first block of the answer holds the model's thinking",
        f"{_BLOCK}|{_NONE}",
        {
            MESSAGES: _BLOCKS.format("ThinkingBlock") + ", anthropic 2.14",
            CONVERSE: _UNION.format("reasoningContent"),
            RESPONSES: _ITEMS.format("ResponseReasoningItem"),
            COHERE: "`content` of `AssistantMessageResponse`, a list of a union of which"
            " `ThinkingAssistantMessageResponseContentItem` has no `text`, cohere 7.3",
        },
        "thinking",
        asks=True,
    ),
    AnswerShape(
        "tool-call",
        "the model calls a tool and says nothing",
        f"{_NONE}|{_BLOCK}",
        {
            CHAT: _MESSAGE,
            MESSAGES: _BLOCKS.format("ToolUseBlock") + ", anthropic 2.14",
            CONTENT: _TEXT,
            CONVERSE: _UNION.format("toolUse"),
            RESPONSES: _ITEMS.format("ResponseFunctionToolCall"),
            HUB: "`content: Optional[str]` of `ChatCompletionOutputMessage`, huggingface_hub 2.4",
            COHERE: "`content: Optional[List[AssistantMessageResponseContentItem]]` of"
            " `AssistantMessageResponse`, cohere 7.3",
        },
        "tools",
        asks=True,
        beside="tool-call-with-text",
    ),
    AnswerShape(
        "text-and-tool-call",
        "the model calls a tool beside its text",
        _BLOCK,
        {
            MESSAGES: _BLOCKS.format("ToolUseBlock") + ", anthropic 2.14",
            CONVERSE: _UNION.format("toolUse"),
            RESPONSES: _ITEMS.format("ResponseFunctionToolCall"),
        },
        "tools",
        asks=True,
    ),
    AnswerShape(
        "arguments-cut",
        "the token limit cuts the arguments of a tool call",
        _PARSED,
        {CHAT: _ARGUMENTS, RESPONSES: _INCOMPLETE},
        "tools and a token limit",
        asks=True,
        beside="tool-call",
    ),
    AnswerShape(
        "stream-arguments-cut",
        "the token limit cuts the input of a tool call in the stream",
        _PARSED,
        {
            MESSAGES: '`partial_json: str` of `InputJSONDelta` and `stop_reason: "max_tokens"`,'
            " anthropic 2.14",
            CONVERSE: "`input` of `ToolUseBlockDelta` and `stopReason` `max_tokens`, boto3 1.44",
        },
        "tools and a token limit",
        beside="tool-call",
    ),
    AnswerShape(
        "arguments-no-json",
        "the arguments of a tool call are not valid JSON",
        _PARSED,
        {CHAT: _ARGUMENTS},
        "tools that are not strict",
        beside="tool-call",
    ),
    AnswerShape(
        "cut-empty",
        "the model's thinking uses up the token limit",
        f"{_NONE}|{_EMPTY}",
        {CONTENT: _PARTS, RESPONSES: f"{_REASONING}; {_INCOMPLETE}"},
        "a token limit",
        asks=True,
    ),
    AnswerShape(
        "incomplete",
        "the token limit ends the response, which is never `completed`",
        f"{_NONE}|{_UNBOUND}",
        {RESPONSES: _INCOMPLETE},
        "a token limit",
        asks=True,
        beside="cut",
    ),
    AnswerShape(
        "failed",
        "the response fails, and has no output",
        f"{_NONE}|{_UNBOUND}|{_EMPTY}",
        {RESPONSES: "`ResponseFailedEvent` and `error: Optional[ResponseError]`, openai 3.54"},
        "`stream=True` or `background=True`",
    ),
    AnswerShape(
        "blocked-prompt",
        "the prompt is blocked and there is no candidate",
        f"{_NONE}|{_EMPTY}",
        {CONTENT: _TEXT},
    ),
    AnswerShape(
        "blocked-answer",
        "the answer is blocked and its candidate has no content",
        f"{_NONE}|{_EMPTY}",
        {CONTENT: _PARTS},
    ),
    *(
        AnswerShape(name, f"{words} (`text` raises)", _NO_TEXT, {CONTENT: _PROPERTY}, cause)
        for name, words, cause in (
            ("blocked-prompt", "the prompt is blocked and there is no candidate", ""),
            ("blocked-answer", "the answer is blocked and its candidate has no content", ""),
            ("cut-empty", "the model's thinking uses up the token limit", "a token limit"),
        )
    ),
    AnswerShape(
        "refusal",
        "the model refuses in the field `refusal`",
        f"{_NONE}|{_BLOCK}|{_PARSED}",
        {
            CHAT: "`content: Optional[str]` and `refusal: Optional[str]`, openai 3.54",
            RESPONSES: "`content: List[Content]`, a union of which `ResponseOutputRefusal` has no"
            " `text`, openai 3.54",
        },
        "a schema",
    ),
    _FENCED,
    replace(
        _FENCED,
        name="prefixed",
        words="the model writes a sentence before the JSON",
        beside="fenced",
        rare=True,
    ),
    replace(
        _FENCED,
        name="trailing-comma",
        words="the model writes a comma behind the last value of the JSON",
        beside="fenced",
        rare=True,
    ),
    AnswerShape(
        "json-cut",
        "the token limit cuts the JSON",
        rf"{_PARSED}|^[\w.]*ValidationError\b(?s:.)*Invalid JSON",
        _LIMITED,
        "a limit of less than 1,000 tokens",
    ),
)
CONTROLS = tuple(dict.fromkeys(shape.beside for shape in SHAPES if shape.beside))
"""Shapes that are run for comparison, too."""
ODD_JSON = ("array", "missing-key")
"""Shapes of JSON that tell something only where base handles them."""

_EXCEPTION = r"\w*(Error|Exception|Timeout|Exhausted|Unavailable|Exceeded|Argument)"
_MISHANDLED = (
    rf"^(NameError|UnboundLocalError|KeyError|IndexError)\b|{_NONE}"
    rf"|^(AttributeError|TypeError): '{_EXCEPTION}' object "
)
_SDKS: Mapping[str, tuple[str, str, str]] = {
    "openai": ("APIStatusError", "APITimeoutError", "openai 3.54"),
    "anthropic": ("APIStatusError", "APITimeoutError", "anthropic 2.14"),
    "gemini": ("APIError", "httpx.ReadTimeout", "google-genai 3.6"),
    "aws": ("ClientError", "ReadTimeoutError", "botocore 1.44"),
    "azure": ("HttpResponseError", "ServiceResponseTimeoutError", "azure-core 1.41"),
    "google": ("GoogleAPICallError", "DeadlineExceeded", "google-api-core 2.44"),
    "cohere": ("ApiError", "httpx.ReadTimeout", "cohere 7.3"),
    "huggingface": ("HfHubHTTPError", "InferenceTimeoutError", "huggingface_hub 2.4"),
}
"""What the SDKs raise for a status of 400 or more, and for no answer in time."""
_OF_SOME = {"stream-error": "chat", "loading": "huggingface", "overloaded": "anthropic"}
"""Failures of one task, or of one provider."""


def failures_of(api: Api) -> tuple[AnswerShape, ...]:
    """Return the ways in which a request of an API may fail; none of an unknown SDK's."""
    raised = _SDKS.get(api.provider.partition(".")[0])
    if raised is None:
        return ()
    refused, late, sdk = raised
    broken = "ResponseErrorEvent" if api.name == RESPONSES else refused
    words = {
        "error-status": ("the service answers with status 429 and an error", refused),
        "bad-request": ("the service refuses the request with status 400", refused),
        "server-error": ("the service answers with status 500 and an error", refused),
        "time-out": ("the service does not answer in time", late),
        "stream-error": ("the service ends the stream with an error", broken),
        "loading": ("the service answers with status 503, as the model is loading", refused),
        "overloaded": ("the service answers with status 529, as it is overloaded", refused),
    }
    return tuple(
        AnswerShape(name, said, _MISHANDLED, {api.name: f"`{kind}`, {sdk}"})
        for name, (said, kind) in words.items()
        if name not in _OF_SOME or _OF_SOME[name] in (api.task, api.provider)
    )
