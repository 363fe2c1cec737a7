"""The GitHub App: what is heard, what there is to do, what was written."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Change the tables that were there, then create the others."""
    _change_runs()
    _change_deliveries()
    _change_workers()
    _create_errands()
    _create_figures()
    _create_ignores()
    _create_installations()
    _create_leases()
    _create_pulls()
    _create_remarks()
    _create_repositories()
    _create_slots()
    _create_tallies()
    _create_writings()


def _some(where: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(where), "postgresql_where": sa.text(where)}


def _change_runs() -> None:
    op.add_column("runs", sa.Column("repository_id", sa.BigInteger))
    op.add_column("runs", sa.Column("installation", sa.BigInteger))
    op.add_column("runs", sa.Column("pull", sa.Integer))
    op.add_column("runs", sa.Column("options", sa.JSON()))
    op.add_column("runs", sa.Column("key", sa.String(255)))
    op.add_column("runs", sa.Column("queue", sa.String(16), server_default="cpu", nullable=False))
    op.add_column("runs", sa.Column("queued_at", _MOMENT))
    op.add_column("runs", sa.Column("routed", sa.Integer, server_default="0", nullable=False))
    for name in ("without_gpu", "refused"):
        op.add_column(
            "runs", sa.Column(name, sa.Boolean, server_default=sa.text("false"), nullable=False)
        )
    op.add_column("runs", sa.Column("progress", sa.Text))
    op.add_column("runs", sa.Column("check_run", sa.BigInteger))
    op.add_column("runs", sa.Column("policy", sa.JSON()))
    op.create_index("runs_by_check_run", "runs", ["check_run"])
    op.create_index("runs_by_end", "runs", ["finished_at"])
    op.create_index("runs_by_head", "runs", ["repository_id", "head"])
    op.create_index("runs_by_key", "runs", ["key"], unique=True)
    op.create_index("runs_by_lease", "runs", ["leased_until"], **_some("state = 'running'"))
    op.create_index("runs_by_pull", "runs", ["repository_id", "pull", "created_at"])
    op.create_index("runs_by_queue", "runs", ["state", "queue", "created_at"])
    op.create_index("runs_by_sending", "runs", ["state", "enqueued_at"])
    op.create_index(
        "runs_decided", "runs", ["repository_id", "created_at"], **_some("policy IS NOT NULL")
    )
    op.create_index(
        "runs_unannounced",
        "runs",
        ["created_at"],
        **_some("check_run IS NULL AND installation IS NOT NULL"),
    )


def _change_deliveries() -> None:
    """Those that are there were heard when they came, and left no body."""
    with op.batch_alter_table("deliveries") as batch:
        batch.add_column(sa.Column("installation", sa.BigInteger))
        batch.add_column(sa.Column("body", sa.LargeBinary))
        batch.add_column(sa.Column("state", sa.String(16)))
        batch.add_column(sa.Column("attempts", sa.Integer))
        batch.add_column(sa.Column("due_at", _MOMENT))
        batch.add_column(sa.Column("heard_at", _MOMENT))
        batch.add_column(sa.Column("error", sa.Text))
    op.execute(
        sa.text(
            "UPDATE deliveries SET state = 'heard', attempts = 0, body = :empty,"
            " due_at = received_at, heard_at = received_at"
        ).bindparams(sa.bindparam("empty", b"", sa.LargeBinary))
    )
    with op.batch_alter_table("deliveries") as batch:
        batch.alter_column("body", existing_type=sa.LargeBinary, nullable=False)
        batch.alter_column("state", existing_type=sa.String(16), nullable=False)
        batch.alter_column("attempts", existing_type=sa.Integer, nullable=False)
        batch.alter_column("due_at", existing_type=_MOMENT, nullable=False)
        batch.drop_column("run_id")
    op.create_index("deliveries_by_state", "deliveries", ["state", "received_at"])
    op.create_index(
        "deliveries_waiting", "deliveries", ["received_at", "id"], **_some("state = 'waiting'")
    )


def _change_workers() -> None:
    op.add_column("workers", sa.Column("queues", sa.JSON, server_default='["cpu"]', nullable=False))


def _create_errands() -> None:
    op.create_table(
        "errands",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("installation", sa.BigInteger, nullable=False),
        sa.Column("lane", sa.String(120), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("run", sa.String(32)),
        sa.Column("order", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("due_at", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "errands_by_installation", "errands", ["installation"], **_some("state = 'waiting'")
    )
    op.create_index("errands_by_key", "errands", ["key"], unique=True)
    op.create_index("errands_by_state", "errands", ["state", "created_at"])
    op.create_index(
        "errands_in_lane", "errands", ["lane", "rank", "due_at"], **_some("state = 'waiting'")
    )
    op.create_index("errands_waiting", "errands", ["rank", "due_at"], **_some("state = 'waiting'"))


def _create_figures() -> None:
    op.create_table(
        "figures",
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("ended_at", _MOMENT, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("preparing", sa.Double),
        sa.Column("waiting", sa.Double),
        sa.Column("examining", sa.Double),
        sa.Column("publishing", sa.Double),
        sa.Column("broken", sa.Integer, server_default="0", nullable=False),
        sa.Column("api_calls", sa.Integer, server_default="0", nullable=False),
        sa.Column("api_calls_cached", sa.Integer, server_default="0", nullable=False),
        sa.Column("api_calls_refused", sa.Integer, server_default="0", nullable=False),
        sa.Column("dollars", sa.Double, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("run_id"),
    )


def _create_ignores() -> None:
    op.create_table(
        "ignores",
        sa.Column("repository", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.String(128), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.String(100), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("until", sa.Date),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("target", sa.Text),
        sa.PrimaryKeyConstraint("repository", "fingerprint"),
    )


def _create_installations() -> None:
    op.create_table(
        "installations",
        sa.Column("id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("account", sa.String(100), nullable=False),
        sa.Column("suspended", sa.Boolean, nullable=False),
        sa.Column("updated_at", _MOMENT),
        sa.PrimaryKeyConstraint("id"),
    )


def _create_leases() -> None:
    op.create_table(
        "leases",
        sa.Column("lane", sa.String(120), nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("until", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("lane"),
    )
    op.create_index("leases_by_end", "leases", ["until"])


def _create_pulls() -> None:
    op.create_table(
        "pulls",
        sa.Column("repository", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("base_ref", sa.Text, nullable=False),
        sa.Column("base", sa.String(64), nullable=False),
        sa.Column("head_ref", sa.Text, nullable=False),
        sa.Column("head", sa.String(64), nullable=False),
        sa.Column("head_repository", sa.BigInteger),
        sa.Column("head_name", sa.String(201)),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("draft", sa.Boolean, nullable=False),
        sa.Column("open", sa.Boolean, nullable=False),
        sa.Column("maintainers_edit", sa.Boolean, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("repository", "number"),
    )
    op.create_index("pulls_by_head", "pulls", ["repository", "head"])


def _create_remarks() -> None:
    op.create_table(
        "remarks",
        sa.Column("comment", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("repository", sa.BigInteger, nullable=False),
        sa.Column("pull", sa.Integer, nullable=False),
        sa.Column("fingerprint", sa.String(128), nullable=False),
        sa.Column("thread", sa.String(255)),
        sa.Column("resolved", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("comment"),
    )
    op.create_index("remarks_by_pull", "remarks", ["repository", "pull"])


def _create_repositories() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("full_name", sa.String(201), nullable=False),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("installation", sa.BigInteger, nullable=False),
        sa.Column("default_branch", sa.String(255)),
        sa.Column("updated_at", _MOMENT),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("repositories_by_installation", "repositories", ["installation"])
    op.create_index("repositories_by_name", "repositories", ["full_name"])


def _create_slots() -> None:
    op.create_table(
        "slots",
        sa.Column("installation", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("until", _MOMENT, nullable=False),
        sa.Column("next_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("installation"),
    )


def _create_tallies() -> None:
    op.create_table(
        "tallies",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("label", sa.String(191), nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("name", "label"),
    )


def _create_writings() -> None:
    op.create_table(
        "writings",
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("made", sa.String(255)),
        sa.Column("at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
