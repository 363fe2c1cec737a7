"""The dashboard: what each run found, for the trend of its repository."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Let each run that ended say what it found, and runs be listed by repository."""
    op.add_column("figures", sa.Column("new_findings", sa.Integer))
    op.add_column("figures", sa.Column("recall", sa.Double))
    op.create_index("runs_by_repository", "runs", ["repository", "created_at"])
