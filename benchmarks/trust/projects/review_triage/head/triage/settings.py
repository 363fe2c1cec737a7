"""Settings from the environment, with defaults that work on a laptop."""

import os
from dataclasses import dataclass, field

try:
    from dotenv import load_dotenv
except ImportError:
    load_dotenv = None

if load_dotenv is not None:
    load_dotenv()


@dataclass(frozen=True)
class Settings:
    support_address: str = field(default_factory=lambda: os.environ.get("SUPPORT_ADDRESS", ""))
    threshold: float = 0.25


def current():
    return Settings()
