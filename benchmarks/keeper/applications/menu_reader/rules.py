"""Which wine goes with what."""


def wine_for(names):
    """The wine for the first thing that has one."""
    for name in names:
        if name in {"Seafood", "Fish"}:
            return "white"
        if name in {"Steak", "Cheese"}:
            return "red"
    return "water"
