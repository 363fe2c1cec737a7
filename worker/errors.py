"""The two ways in which a run can end without an answer."""

from __future__ import annotations


class UsageError(Exception):
    """Wrong usage or configuration: exit status 2, no report.

    ``message`` is a sentence for the person who asked; ``file``, ``line``
    (1-based) and ``key`` say where the mistake stands, as far as known.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.key = key

    def __str__(self) -> str:
        """``file:line: key: message``, without the parts that are unknown."""
        place = ":".join(str(part) for part in (self.file, self.line) if part)
        return ": ".join(part for part in (place, self.key, self.message) if part)


class MachineError(Exception):
    """The machine or we are at fault: exit status 3, never the author's.

    ``message`` says what does not work, ``remedy`` what to do about it.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        """Both sentences."""
        return f"{self.message}\n{self.remedy}" if self.remedy else self.message
