"""Base of the repositories of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import CursorResult, Delete, Select, Table, Update, literal_column
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningUpdate

from worker.store.column_types import Clock
from worker.store.schema import Base

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound=Base)
Record = TypeVar("Record", bound="DataclassInstance")
Insert = postgresql.Insert | sqlite.Insert

_FRESH: Mapping[str, Any] = {"populate_existing": True}
_PLAIN: Mapping[str, Any] = {"synchronize_session": False}

LONGEST_ERROR = 2000
"""Characters of an error that are kept."""


class RepositoryBase:
    """Statements in one session; nothing is read from its memory.

    Raises ``sqlalchemy.exc.SQLAlchemyError`` when the database is out of
    reach.
    """

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    @property
    def _is_postgresql(self) -> bool:
        return self._session.get_bind().dialect.name == "postgresql"

    def _insert(self, row: type[Base], values: Mapping[str, Any]) -> Insert:
        insert = postgresql.insert if self._is_postgresql else sqlite.insert
        return insert(cast("Table", row.__table__)).values(**values)

    def _add_once(self, row: type[Base], values: Mapping[str, Any], *unique: str) -> bool:
        """Insert a row unless its ``unique`` columns are taken; whether it was."""
        statement = self._insert(row, values).on_conflict_do_nothing(index_elements=unique)
        return self._session.scalar(statement.returning(literal_column("1"))) is not None

    def _put(self, row: type[Base], values: Mapping[str, Any], *unique: str) -> None:
        """Insert a row or replace what it holds."""
        statement = self._insert(row, values)
        others = {name: statement.excluded[name] for name in values if name not in unique}
        self._changed(statement.on_conflict_do_update(index_elements=unique, set_=others))

    def _changed(self, statement: Update | Delete | Insert) -> int:
        """Count the rows that a statement changed."""
        result = self._session.execute(statement, execution_options=_PLAIN)
        return cast("CursorResult[Any]", result).rowcount

    def _returned(self, statement: ReturningUpdate[Row]) -> Sequence[Row]:
        """Return the rows as a statement left them."""
        options = {**_PLAIN, **_FRESH}
        return self._session.scalars(statement, execution_options=options).all()

    def _all(self, query: Select[Row]) -> Sequence[Row]:
        return self._session.scalars(query, execution_options=_FRESH).all()

    def _record(self, kind: type[Record], query: Select[Row]) -> Record | None:
        """Return the first row as a noun, whose fields are called as the columns."""
        row = self._one(query)
        return None if row is None else row.as_record(kind)

    def _records(self, kind: type[Record], query: Select[Row]) -> tuple[Record, ...]:
        return tuple(row.as_record(kind) for row in self._all(query))

    def _one(self, query: Select[Row]) -> Row | None:
        return self._session.scalars(query.limit(1), execution_options=_FRESH).first()
