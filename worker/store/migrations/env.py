"""Entry point of alembic: every step on the connection that was opened for it."""

from importlib import import_module

from alembic import context

from worker.store.schema import Base

# every room declares its tables
import_module("worker.store.store")
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
