"""The tested project's own Python environment: read, installed, kept, lent."""

from worker.environments.nouns import OUR_OWN, Environment, shared
from worker.environments.own import own_environment
from worker.environments.provision import Environments

__all__ = ["OUR_OWN", "Environment", "Environments", "own_environment", "shared"]
