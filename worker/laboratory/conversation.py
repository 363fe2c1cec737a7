"""Talk with one guest: what is sent, what comes back, its questions answered on the way."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worker.broker import ApiRequest, Broker, NoAnswer
from worker.laboratory.answered import Answered
from worker.laboratory.failures import GuestEnded, GuestFailure
from worker.sandbox.channel import SEND_SECONDS, ChannelClosed, ChannelTimeout
from worker.sandbox.guest import GuestProcess
from worker.sandbox.shapes import BadFrame

ANSWER_SECONDS = 20.0
LONGEST_REASON = 500


class Conversation:
    """With one guest; whatever breaks it off is a ``GuestFailure``.

    ``answered`` are the answers that it was given, ``used`` the libraries whose
    stand-ins it says that what ran made use of.
    """

    def __init__(self, guest: GuestProcess, broker: Broker) -> None:
        self._guest = guest
        self._broker = broker
        self.answered = Answered()
        self.used: dict[str, None] = {}

    def begin(self, contents: Sequence[bytes]) -> None:
        """A batch of runs begins, which will probably ask about these files in turn."""
        self.answered.clear()
        self._broker.expect(contents)

    def send(self, message: Mapping[str, Any], seconds: float = SEND_SECONDS) -> None:
        """Say something; ``seconds`` are what the guest has to take it."""
        try:
            self._guest.channel.send(message, seconds)
        except (BadFrame, ChannelClosed, ChannelTimeout) as error:
            raise self.failure(error) from error

    def replies(
        self, seconds: float, silence: float | None = None, questions: int = 0
    ) -> Iterator[Mapping[str, Any]]:
        """What the guest says, without end; its questions are answered on the way.

        Only what answers our last message gets through the channel.  Raises
        ``GuestFailure`` when ``seconds`` are over, when nothing is heard for
        ``silence``, and after more than ``questions``; the time that engines
        take is not counted.
        """
        deadline = time.monotonic() + seconds
        while True:
            left = max(0.1, deadline - time.monotonic())
            try:
                frame = self._guest.channel.receive(min(left, silence or left))
            except (ChannelClosed, ChannelTimeout, BadFrame) as error:
                raise self.failure(error) from error
            if frame["type"] == "limited":
                raise GuestEnded(frame["reason"][:LONGEST_REASON])
            if frame["type"] != "ask":
                self.used.update(dict.fromkeys(frame.get("used", ())))
                yield frame
                continue
            questions -= 1
            if questions < 0:
                raise self.failure(BadFrame("questions without end"))
            began = time.monotonic()
            answer = self._answer(frame)
            deadline += time.monotonic() - began
            self.send(answer, ANSWER_SECONDS)

    def failure(self, error: Exception) -> GuestFailure:
        """What broke off, with why we stopped the guest and the end of what it printed."""
        stopped = self._guest.why_stopped() if isinstance(error, ChannelClosed) else None
        tail = self._guest.stderr_tail().strip()[-500:]
        reason = stopped or self._guest.stopped or f"{type(error).__name__}: {error}"
        ended = isinstance(error, ChannelClosed | ChannelTimeout)
        made = GuestEnded if ended or self._guest.stopped else GuestFailure
        return made(reason + (f"\n{tail}" if tail else ""))

    def _answer(self, frame: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            request = ApiRequest.from_frame(frame["request"])
            answer = self._broker.answer(frame["api"], request)
        except NoAnswer as refusal:
            return {"type": "refused", "reason": str(refusal)}
        self.answered.add(frame["api"], request, answer, self._broker.source(frame["api"]))
        return {"type": "answer", "answer": answer}
