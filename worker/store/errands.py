"""What there is to do at GitHub, in lanes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, func, or_, select, update

from worker.store.figures import Figures
from worker.store.lanes import audit_lane, head_lane, pull_lane
from worker.store.records import Errand, ErrandKind, ErrandRecord
from worker.store.room import LONGEST_ERROR, Room
from worker.store.schema import DEAD, DONE, WAITING, ErrandRow, LeaseRow, inline

_RANKS = {kind: rank for rank, kind in enumerate(ErrandKind)}
_WAITS = ErrandRow.state == inline(WAITING)
_LOOK_AHEAD = 8
"""How many due errands are looked at for each lane that is wanted."""


class Errands(Room):
    """A row for each errand; its key is remembered after it is done."""

    def add(self, errand: Errand, *, due: datetime | None = None) -> bool:
        """Keep an errand, to be done from ``due`` on; false when its key is taken."""
        now = self._clock()
        values = {
            "kind": errand.kind,
            "rank": _RANKS[errand.kind],
            "installation": errand.installation,
            "lane": errand.lane,
            "key": errand.key,
            "run": errand.run,
            "order": dict(errand.order),
            "state": WAITING,
            "attempts": 0,
            "created_at": now,
            "due_at": due or now,
        }
        return self._add_once(ErrandRow, values, "key")

    def knows(self, key: str) -> bool:
        """Whether an errand of that key was ever added, and is not forgotten."""
        return self._session.scalar(select(ErrandRow.id).where(ErrandRow.key == key)) is not None

    def lanes(self, limit: int = 16) -> tuple[str, ...]:
        """Return lanes with due errands that nobody leases, the most urgent first."""
        now = self._clock()
        leased = exists().where(LeaseRow.lane == ErrandRow.lane, LeaseRow.until > now)
        query = (
            select(ErrandRow.lane)
            .where(_WAITS, ErrandRow.due_at <= now, ~leased)
            .order_by(ErrandRow.rank, ErrandRow.due_at)
            .limit(limit * _LOOK_AHEAD)
        )
        return tuple(dict.fromkeys(self._session.scalars(query)))[:limit]

    def next(self, lane: str) -> ErrandRecord | None:
        """Return the due errand of a lane that comes first: by kind, then by age."""
        query = (
            select(ErrandRow)
            .where(
                ErrandRow.lane == lane,
                _WAITS,
                ErrandRow.due_at <= self._clock(),
            )
            .order_by(ErrandRow.rank, ErrandRow.id)
        )
        row = self._one(query)
        return None if row is None else row.record()

    def done(self, errand_id: int) -> bool:
        """Note that an errand is done; its order is forgotten.  False when it was."""
        ended = self._end(errand_id, state=DONE, error=None, order={})
        if ended:
            Figures(self._session, self._clock).published(errand_id)
        return ended

    def again(self, errand_id: int, error: str, *, at: datetime, counted: bool = True) -> bool:
        """Do an errand again from ``at`` on; false when it waits no more."""
        statement = (
            update(ErrandRow)
            .where(ErrandRow.id == errand_id, _WAITS)
            .values(
                due_at=at, error=error[:LONGEST_ERROR], attempts=ErrandRow.attempts + int(counted)
            )
        )
        return self._changed(statement) > 0

    def bury(self, errand_id: int, error: str) -> bool:
        """Give an errand up; it is kept and counted.  False when it waits no more."""
        return self._end(errand_id, state=DEAD, error=error[:LONGEST_ERROR])

    def get(self, errand_id: int) -> ErrandRecord | None:
        """Return one errand, if it is known."""
        row = self._one(select(ErrandRow).where(ErrandRow.id == errand_id))
        return None if row is None else row.record()

    def drop(self, installation: int) -> int:
        """Forget the errands of an installation that wait."""
        return self._changed(
            delete(ErrandRow).where(ErrandRow.installation == installation, _WAITS)
        )

    def drop_runs(self, runs: Sequence[str]) -> int:
        """Forget the errands of these runs that wait."""
        return self._changed(delete(ErrandRow).where(_WAITS, ErrandRow.run.in_(runs)))

    def drop_repository(self, repository: int) -> int:
        """Forget the errands in lanes of a repository that wait."""
        mine = or_(
            ErrandRow.lane.startswith(pull_lane(repository, 0).removesuffix("0")),
            ErrandRow.lane.startswith(head_lane(repository, "")),
            ErrandRow.lane == audit_lane(repository),
        )
        return self._changed(delete(ErrandRow).where(_WAITS, mine))

    def purge(self, before: datetime) -> int:
        """Delete those that were done before, and their keys with them."""
        return self._changed(
            delete(ErrandRow).where(ErrandRow.state == DONE, ErrandRow.ended_at < before)
        )

    def count(self) -> dict[str, int]:
        """Count those that wait and those that were given up."""
        query = (
            select(ErrandRow.state, func.count())
            .where(ErrandRow.state.in_((WAITING, DEAD)))
            .group_by(ErrandRow.state)
        )
        found = {str(state): int(count) for state, count in self._session.execute(query)}
        return {state: found.get(state, 0) for state in (WAITING, DEAD)}

    def oldest(self) -> datetime | None:
        """Return since when the oldest due errand has waited."""
        query = select(func.min(ErrandRow.due_at)).where(_WAITS, ErrandRow.due_at <= self._clock())
        return self._session.scalar(query)

    def _end(self, errand_id: int, **values: object) -> bool:
        statement = (
            update(ErrandRow)
            .where(ErrandRow.id == errand_id, _WAITS)
            .values(ended_at=self._clock(), **values)
        )
        return self._changed(statement) > 0
