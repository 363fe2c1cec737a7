"""The database of these tests is gone with them."""

from tests.worker.quick_database import quick_database, quick_key

__all__ = ["quick_database", "quick_key"]
