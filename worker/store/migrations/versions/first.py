"""Runs, deliveries, reports, approvals and workers: what was there before migrations.

Databases of that time have no revision, and may lack what came last.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create what is absent."""
    op.create_table(
        "runs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("base", sa.String(255)),
        sa.Column("head", sa.String(255)),
        sa.Column("reason", sa.String(255), nullable=False),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("fork", sa.Boolean, server_default=sa.true(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("enqueued_at", _MOMENT),
        sa.Column("started_at", _MOMENT),
        sa.Column("leased_until", _MOMENT),
        sa.Column("finished_at", _MOMENT),
        sa.Column("verdict", sa.String(16)),
        sa.Column("error", sa.Text),
        if_not_exists=True,
    )
    if "fork" not in {column["name"] for column in sa.inspect(op.get_bind()).get_columns("runs")}:
        fork = sa.Column("fork", sa.Boolean, server_default=sa.true(), nullable=False)
        op.add_column("runs", fork)
    op.create_index("runs_by_state", "runs", ["state", "created_at"], if_not_exists=True)
    op.create_index("runs_by_age", "runs", ["created_at"], if_not_exists=True)
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("event", sa.String(64), nullable=False),
        sa.Column("action", sa.String(64)),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("received_at", _MOMENT, nullable=False),
        sa.Column("run_id", sa.String(32), sa.ForeignKey("runs.id")),
        if_not_exists=True,
    )
    op.create_table(
        "reports",
        sa.Column("run_id", sa.String(32), sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("document", sa.JSON, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "approvals",
        sa.Column("repository", sa.String(201), primary_key=True),
        sa.Column("head", sa.String(64), primary_key=True),
        sa.Column("by", sa.String(100), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("layers", sa.JSON, nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        if_not_exists=True,
    )
