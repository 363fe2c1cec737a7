"""The first layer of a model at which an execution departs from the mathematics."""

from .first import Located, located
from .sources import source_of

__all__ = ["Located", "located", "source_of"]
