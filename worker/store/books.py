"""Everything that is kept, in one transaction."""

from __future__ import annotations

from sqlalchemy.orm import Session

from worker.store.approvals import Approvals
from worker.store.columns import Clock
from worker.store.deliveries import Deliveries
from worker.store.errands import Errands
from worker.store.figures import Figures
from worker.store.ignores import Ignores
from worker.store.installations import Installations
from worker.store.leases import Leases
from worker.store.pulls import Pulls
from worker.store.remarks import Remarks
from worker.store.roster import Roster
from worker.store.runs import Runs
from worker.store.slots import Slots
from worker.store.tallies import Tallies
from worker.store.writings import Writings


class Books:
    """A room for each kind of thing; all of them share one transaction."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self.deliveries = Deliveries(session, clock)
        self.installations = Installations(session, clock)
        self.pulls = Pulls(session, clock)
        self.runs = Runs(session, clock)
        self.errands = Errands(session, clock)
        self.leases = Leases(session, clock)
        self.slots = Slots(session, clock)
        self.writings = Writings(session, clock)
        self.ignores = Ignores(session, clock)
        self.remarks = Remarks(session, clock)
        self.approvals = Approvals(session, clock)
        self.roster = Roster(session, clock)
        self.figures = Figures(session, clock)
        self.tallies = Tallies(session, clock)
