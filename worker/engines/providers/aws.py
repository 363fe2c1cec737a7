"""AWS's recognition services: JSON 1.1, signed.

https://docs.aws.amazon.com/rekognition/latest/APIReference/
https://docs.aws.amazon.com/comprehend/latest/APIReference/
https://docs.aws.amazon.com/textract/latest/APIReference/
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, cast
from urllib.parse import quote, urlsplit

from analyzers import catalogue
from analyzers.catalogue.api_descriptions import Api
from analyzers.vocabulary import Json, JsonObject
from worker.engines.engine import ApiRequest, NotAsked, Outage, Rejected
from worker.engines.providers.http_client import ProviderEngine
from worker.engines.providers.provider_failures import read_aws_fault

_ALGORITHM = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class AwsSigner:
    """Signs with one access key for one ``service`` and ``region``; ``token``: temporary ones."""

    key_id: str
    secret: str = field(repr=False)
    region: str
    service: str
    token: str | None = field(default=None, repr=False)

    def headers(
        self, url: str, body: bytes, headers: Mapping[str, str], moment: datetime | None = None
    ) -> dict[str, str]:
        """Return ``headers``, lower case, and those that sign a POST; ``url`` has no query."""
        time = (moment or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
        parts = urlsplit(url)
        signed = {name.lower(): value for name, value in headers.items()}
        signed |= {"host": parts.netloc, "x-amz-date": time}
        if self.token:
            signed["x-amz-security-token"] = self.token
        names = ";".join(sorted(signed))
        request = "\n".join(
            (
                "POST",
                quote(parts.path or "/", safe="/-_.~"),
                "",
                *(f"{name}:{' '.join(signed[name].split())}" for name in sorted(signed)),
                "",
                names,
                hashlib.sha256(body).hexdigest(),
            )
        )
        scope = f"{time[:8]}/{self.region}/{self.service}/aws4_request"
        told = "\n".join((_ALGORITHM, time, scope, hashlib.sha256(request.encode()).hexdigest()))
        signature = hmac.new(self._key(time[:8]), told.encode(), hashlib.sha256).hexdigest()
        credential = f"Credential={self.key_id}/{scope}"
        authorization = f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}"
        return {**signed, "authorization": authorization}

    def _key(self, day: str) -> bytes:
        key = f"AWS4{self.secret}".encode()
        for part in (day, self.region, self.service, "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return key


DEFAULT_REGION = "us-east-1"
# those that need nothing of the operator's: no collection, job, model or endpoint
OPERATIONS = {
    "aws.rekognition": (
        "detect_faces",
        "detect_labels",
        "detect_moderation_labels",
        "detect_protective_equipment",
        "detect_text",
        "recognize_celebrities",
    ),
    "aws.comprehend": (
        "batch_detect_dominant_language",
        "batch_detect_entities",
        "batch_detect_key_phrases",
        "batch_detect_sentiment",
        "detect_dominant_language",
        "detect_entities",
        "detect_key_phrases",
        "detect_pii_entities",
        "detect_sentiment",
        "detect_syntax",
        "detect_targeted_sentiment",
        "detect_toxic_content",
    ),
    "aws.textract": (
        "analyze_document",
        "analyze_expense",
        "analyze_id",
        "detect_document_text",
    ),
    "aws.transcribe": ("get_transcription_job", "start_transcription_job"),
}
# what the tested code has to expect of its input: such an error is an answer
_OF_INPUT = frozenset(
    {
        "BadDocumentException",
        "DocumentTooLargeException",
        "ImageTooLargeException",
        "InvalidImageFormatException",
        "TextSizeLimitExceededException",
        "UnsupportedDocumentException",
        "UnsupportedLanguageException",
    }
)
_CREDENTIALS = re.compile(r"([A-Za-z0-9]{8,128}):([A-Za-z0-9/+=]{8,128})(?::(\S+))?")
_BUCKET = re.compile(r"s3://([^/]+)/(.+?)(?:\?versionId=([^?]+))?")


@dataclass
class Aws(ProviderEngine):
    """One of AWS's services; without ``credentials`` unsigned."""

    region: str = DEFAULT_REGION

    def __post_init__(self) -> None:
        """Read errors as AWS writes them."""
        self.http.faults = read_aws_fault

    @property
    def base(self) -> str:
        """The address, with the slash that is signed."""
        return f"{self.endpoint.rstrip('/')}/"

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the operation's response, one element or ``Error``; raise ``NoAnswer``."""
        name = api.rpartition(".")[2]
        if name not in OPERATIONS[self.provider]:
            raise NotAsked(f"{api} needs a collection, job or model of the operator's own")
        described = catalogue.load_catalogue().apis[api]
        body = json.dumps(self._body(described, request)).encode()
        try:
            headers = {
                "content-type": "application/x-amz-json-1.1",
                "x-amz-target": f"{described.target}",
            }
            if self._signer is not None:
                headers = self._signer.headers(self.base, body, headers)
            answer = self.http.post(self.base, body, {}, headers)
        except Rejected as rejected:
            if rejected.code not in _OF_INPUT:
                raise
            return {"Error": {"Code": rejected.code, "Message": rejected.said}}
        return self._element(described, answer) if _each(described) else answer

    def _body(self, described: Api, request: ApiRequest) -> JsonObject:
        if "sha256:" in json.dumps(request.parameters):
            raise NotAsked(f"{described.name} was asked about a second file, which is not at hand")
        assert described.input is not None
        head, _, inner = described.input.field.partition(".")
        value = {inner: self._value(request)} if inner else self._value(request)
        if inner == "Bytes" and request.content is None:
            value = {"S3Object": self._bucket(request.uri or "")}
        return {**request.parameters, head: [value] if _each(described) else value}

    def _value(self, request: ApiRequest) -> Json:
        if request.content is not None:
            return base64.b64encode(request.content).decode()
        return request.uri if request.text is None else request.text

    def _bucket(self, uri: str) -> JsonObject:
        self.expect_uris()
        found = _BUCKET.fullmatch(uri)
        if found is None:
            raise NotAsked(f"{self.provider} takes files from s3://BUCKET/NAME only")
        place = {"Bucket": found[1], "Name": found[2], "Version": found[3]}
        return {key: value for key, value in place.items() if value}

    def _element(self, described: Api, answer: JsonObject) -> JsonObject:
        errors = answer.get("ErrorList")
        if isinstance(errors, list) and errors:
            raise Rejected(f"{self.provider} rejected the text: {str(errors[0])[:300]}")
        found = answer.get(described.result.partition("[]")[0])
        if not isinstance(found, list) or len(found) != 1 or not isinstance(found[0], Mapping):
            raise Outage(f"{self.provider} answered without a result for the one input")
        element = cast("Mapping[str, Any]", found[0])
        return {key: value for key, value in element.items() if key != "Index"}

    @cached_property
    def _signer(self) -> AwsSigner | None:
        if self.credentials is None:
            return None
        found = _CREDENTIALS.fullmatch(self.credentials())
        if found is None:
            raise Outage(f"the credentials for {self.provider} are not ACCESS_KEY_ID:SECRET")
        for secret in filter(None, found.groups()):
            self.http.secrets.add(secret)
        service = self.provider.rpartition(".")[2]
        return AwsSigner(found[1], found[2], self.region, service, found[3])


def _each(described: Api) -> bool:
    return described.input is not None and described.input.each


_UNDER_WAY = frozenset({"QUEUED", "IN_PROGRESS"})


@dataclass
class Transcribe(Aws):
    """The service in one region; jobs begin only with ``uris``, since it fetches sound from S3.

    A job begun here is waited for, ``polls`` times ``interval`` seconds at most.
    """

    polls: int = 24
    interval: float = 5.0
    begun: set[str] = field(default_factory=set[str], repr=False)

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the operation's response, or the job's last; raise ``NoAnswer``."""
        if request.uri is None:
            raise NotAsked("Transcribe takes sounds by their place in S3")
        if api.endswith(".start_transcription_job"):
            self._bucket(request.uri)
            answer = super().ask(api, request)
            self.begun.add(str(request.parameters.get("TranscriptionJobName", "")))
            return answer
        if request.uri not in self.begun:
            raise NotAsked("Transcribe is asked for no job but those that the code has begun")
        for poll in range(self.polls):
            answer = super().ask(api, request)
            if _status(answer) not in _UNDER_WAY:
                return answer
            if poll + 1 < self.polls:
                self.http.wait(self.interval)
        raise Outage(f"{self.provider} did not finish the job in {self.polls * self.interval:g} s")


def _status(answer: JsonObject) -> object:
    job = answer.get("TranscriptionJob")
    return job.get("TranscriptionJobStatus") if isinstance(job, Mapping) else None
