"""AWS Transcribe: jobs that are begun, and then waited for.

https://docs.aws.amazon.com/transcribe/latest/APIReference/
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzers.vocabulary import JsonObject
from worker.engines.aws import Aws
from worker.engines.request import ApiRequest, NotAsked, Outage

_UNDER_WAY = frozenset({"QUEUED", "IN_PROGRESS"})


@dataclass
class Transcribe(Aws):
    """The service in one region.

    A job is begun only with ``uris``: the service fetches the sound from S3.
    One that is asked for is waited for, ``polls`` times ``interval`` seconds at
    most, and only if it was begun here: others of the account are none of the
    code's business.
    """

    polls: int = 24
    interval: float = 5.0
    begun: set[str] = field(default_factory=set[str], repr=False)

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The operation's response; of a job that is asked for, its last.

        Raises:
            NoAnswer: the service refused, failed, or cannot be reached, the
                sound is no place in S3, or the job takes too long or is not ours.

        """
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
