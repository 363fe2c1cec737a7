"""How Google's speech API of version 1 is told what those of all versions were asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from analyzers.vocabulary import Json, JsonObject

_ENCODING = ("encoding", "sample_rate_hertz", "audio_channel_count")
_FEATURES = (
    "enable_automatic_punctuation",
    "enable_spoken_emojis",
    "enable_spoken_punctuation",
    "enable_word_confidence",
    "enable_word_time_offsets",
    "max_alternatives",
    "profanity_filter",
)
_OF_V2 = ("auto_decoding_config", "explicit_decoding_config", "features", "recognizer")


def config(parameters: JsonObject) -> JsonObject:
    """A ``RecognitionConfig`` of version 1.

    Of version 2 the decoding and those features that version 1 has as well
    are taken; its language stands where that of version 1 does.
    """
    decoding = _mapping(parameters.get("explicit_decoding_config"))
    features = _mapping(parameters.get("features"))
    return {
        **{name: decoding[name] for name in _ENCODING if name in decoding},
        **{name: features[name] for name in _FEATURES if name in features},
        **{name: value for name, value in parameters.items() if name not in _OF_V2},
    }


def _mapping(value: Json) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
