"""Azure's speech recognition of short sounds, in its own REST protocol.

https://learn.microsoft.com/azure/ai-services/speech-service/rest-speech-to-text-short
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from analyzers.vocabulary import JsonObject
from worker.engines.http import Http
from worker.engines.keyed import Keyed
from worker.engines.request import ApiRequest, NotAsked, Outage

PATH = "speech/recognition/conversation/cognitiveservices/v1"
MEDIA = {
    b"RIFF": "audio/wav; codecs=audio/pcm; samplerate=16000",
    b"OggS": "audio/ogg; codecs=opus",
}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}")
_OUTAGES = frozenset({"Error"})


@dataclass
class AzureSpeech(Keyed):
    """One speech resource, asked at ``endpoint``, which has no public default.

    ``credentials`` reads one of the resource's keys when the first question is
    asked; ``None`` asks without.
    """

    provider: str
    endpoint: str
    credentials: Callable[[], str] | None = field(default=None, repr=False)
    http: Http = field(default_factory=lambda: Http("Azure"), repr=False)
    local = False

    @property
    def identity(self) -> str:
        """Service and address, part of every recording's key."""
        return f"{self.provider}@{self.endpoint.rstrip('/')}"

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The detailed answer about a sound of a minute, in the service's own names.

        Raises:
            NoAnswer: the service refused, failed, or cannot be reached, or the
                sound is no WAV or Ogg file.

        """
        del api
        content = request.content
        media = next((m for start, m in MEDIA.items() if (content or b"").startswith(start)), None)
        if content is None or media is None:
            raise NotAsked(f"{self.provider} takes WAV and Ogg files of a minute")
        language = str(request.parameters.get("language") or "en-US")
        if _LANGUAGE.fullmatch(language) is None:
            raise NotAsked(f"{self.provider} was asked for a language that is none")
        url = f"{self.endpoint.rstrip('/')}/{PATH}"
        headers = {**self._key, "content-type": media, "accept": "application/json"}
        query = {"language": language, "format": "detailed"}
        answer = self.http.post(url, content, query, headers)
        if answer.get("RecognitionStatus") in _OUTAGES:
            raise Outage(f"{self.provider} failed: {answer.get('RecognitionStatus')}")
        return answer

    def authorisation(self, key: str) -> dict[str, str]:
        """The header that says who asks."""
        return {"ocp-apim-subscription-key": key}
