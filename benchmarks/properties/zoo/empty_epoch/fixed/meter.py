def average(losses: list[float]) -> float:
    """Mean loss of an epoch."""
    return sum(losses) / len(losses) if losses else 0.0
