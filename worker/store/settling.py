"""How runs end: whoever ends one asks for its publication in the same step."""

from __future__ import annotations

from sqlalchemy import ColumnElement, update

from worker.store.errands import Errands
from worker.store.figures import Figures
from worker.store.lanes import lane_of
from worker.store.records import Errand, ErrandKind, Job, RunState
from worker.store.room import Room
from worker.store.schema import RunRow, inline

QUEUED = RunRow.state == inline(RunState.QUEUED)
RUNNING = RunRow.state == inline(RunState.RUNNING)
ALIVE = RunRow.state.in_(
    [inline(RunState.PREPARING), inline(RunState.QUEUED), inline(RunState.RUNNING)]
)


class Settling(Room):
    """The one step into a state that is over."""

    def _settle(
        self,
        which: ColumnElement[bool],
        state: RunState,
        *,
        quietly: bool = False,
        **values: object,
    ) -> tuple[str, ...]:
        """End the runs ``which`` and return their ids; ``quietly`` publishes nothing."""
        statement = (
            update(RunRow)
            .where(ALIVE, which)
            .values(state=state, finished_at=self._clock(), **values)
            .returning(RunRow)
        )
        ended = self._returned(statement)
        Figures(self._session, self._clock).ended(ended)
        for row in ended:
            if row.installation is not None and not quietly:
                self._ask_for(ErrandKind.PUBLISH, row.id, row.job())
        return tuple(row.id for row in ended)

    def _ask_for(self, kind: ErrandKind, run_id: str, job: Job, lane: str | None = None) -> None:
        assert job.installation is not None
        errand = Errand(
            kind=kind,
            installation=job.installation,
            lane=lane or lane_of(job),
            key=f"{kind}:{run_id}",
            run=run_id,
        )
        Errands(self._session, self._clock).add(errand)
