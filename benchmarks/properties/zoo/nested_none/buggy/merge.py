"""Settings of the trainer: defaults, with what the user says on top."""

DEFAULTS = {"optimizer": {"name": "adam", "lr": 1e-3}, "scheduler": None, "epochs": 10}


def merged(user: dict, defaults: dict = DEFAULTS) -> dict:
    """A new dictionary; sections (dictionaries) are merged, all else is replaced."""
    result = dict(defaults)
    for key, value in user.items():
        if isinstance(value, dict):
            result[key] = {**result.get(key, {}), **value}
        else:
            result[key] = value
    return result
