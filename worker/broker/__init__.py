"""The broker answers the guest's questions to ML APIs."""

from worker.broker.broker import Broker
from worker.broker.budget import Budget
from worker.broker.shelves import Shelves, Standing
from worker.engines import ApiRequest, NoAnswer, Recordings

__all__ = ["ApiRequest", "Broker", "Budget", "NoAnswer", "Recordings", "Shelves", "Standing"]
