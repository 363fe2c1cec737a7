from .vision import Reader
