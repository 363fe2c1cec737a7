"""The shipped pull request: an expense desk learns to read receipts.

``application`` holds the two sides as readable files; the bundle is built
from them by ``scripts/build_demo_bundle.py``.
"""

from pathlib import Path

BUNDLE = Path(__file__).parent / "expense-desk.bundle"
BASE, HEAD = "main", "receipts-and-comments"
