from model.config import Config
from model.decoder import Decoder

__all__ = ["Config", "Decoder"]
