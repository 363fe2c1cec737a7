"""The broker answers the guest's questions to ML APIs."""

from worker.broker.broker import Broker
from worker.engines import ApiRequest, NoAnswer, Recordings

__all__ = ["ApiRequest", "Broker", "NoAnswer", "Recordings"]
