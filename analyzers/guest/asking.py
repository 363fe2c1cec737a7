"""Questions to ML APIs that go to the host."""

from __future__ import annotations

from . import calls
from .board import AWAITING, SENDING, Board
from .limits import CLOCK
from .wire import Wire


class Asking:
    """Asks the host; the time it takes is not the tested code's."""

    faithful = True

    def __init__(self, wire: Wire, board: Board) -> None:
        self._wire = wire
        self._board = board

    def __call__(self, request: calls.Request) -> calls.Answer:
        """The host's answer; raises ``Refused``."""
        content = None if request.content is None else bytes(request.content)
        frame = {
            "content": {"$attached": len(content)} if content else content,
            "text": None if request.text is None else str(request.text),
            "uri": None if request.uri is None else str(request.uri),
            "parameters": request.parameters,
        }
        with CLOCK.paused():
            before = self._board.enter(SENDING)
            self._wire.send({"type": "ask", "api": request.api, "request": frame}, content or b"")
            self._board.enter(AWAITING)
            reply = self._wire.receive()
            self._board.enter(before)
        if reply is None or reply["type"] != "answer":
            reason = "the host has gone" if reply is None else reply.get("reason", "")
            raise calls.Refused(f"{request.api}: {reason}")
        answer: calls.Answer = reply["answer"]
        return answer
