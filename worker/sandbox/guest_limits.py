"""Limits of a guest's resources."""

from __future__ import annotations

from dataclasses import dataclass, replace

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
SHARED_MEMORY = 64 * MIB
GPU_ADDRESS_SPACE = 1 << 46
"""What a driver of GPUs may reserve: the memory of its cards and of the machine in one space."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of one guest, all its processes together unless said otherwise.

    ``memory`` (bytes) is polled as the proportional set size.  ``address_space``, ``file_size``
    (bytes), ``open_files`` and ``cpu_seconds`` hold for each process; ``scratch`` (bytes) for each
    writable folder, which lives in memory beside ``memory``; ``processors`` only in a control
    group.  ``patience`` multiplies the time of each question to the guest.
    """

    memory: int = 4 * GIB
    address_space: int = 16 * GIB
    processes: int = 256
    files: int = 100_000
    file_size: int = 256 * MIB
    open_files: int = 1024
    cpu_seconds: int = 600
    wall_seconds: float = 900.0
    scratch: int = 256 * MIB
    processors: float = 2.0
    patience: float = 1.0

    def times(self, factor: float) -> Limits:
        """Return these limits, each but that of processors times ``factor``."""
        return replace(
            self,
            memory=int(self.memory * factor),
            address_space=int(self.address_space * factor),
            processes=int(self.processes * factor),
            cpu_seconds=int(self.cpu_seconds * factor),
            wall_seconds=self.wall_seconds * factor,
            scratch=int(self.scratch * factor),
            patience=self.patience * factor,
        )
