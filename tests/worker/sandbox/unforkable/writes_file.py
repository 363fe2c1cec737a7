import os
from pathlib import Path

Path(os.environ["HOME"], "cache").write_text("kept")
