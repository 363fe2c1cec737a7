def should_stop(losses: list[float], patience: int = 3) -> bool:
    """Whether the last `patience` epochs brought no better loss than the one before them.

    losses: validation losses of the epochs so far
    """
    if patience < 1:
        raise ValueError("patience is at least 1")
    if len(losses) <= patience:
        return False
    before = losses[-patience - 1]
    return min(losses[-patience:]) >= before
