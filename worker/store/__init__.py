"""What must outlive a process: deliveries, runs and their reports."""

from worker.store.records import (
    Approval,
    Attempt,
    Busy,
    Delivery,
    Job,
    Over,
    Recorded,
    RunRecord,
    RunState,
    WorkerRecord,
    WorkerState,
)
from worker.store.store import Store

__all__ = [
    "Approval",
    "Attempt",
    "Busy",
    "Delivery",
    "Job",
    "Over",
    "Recorded",
    "RunRecord",
    "RunState",
    "Store",
    "WorkerRecord",
    "WorkerState",
]
