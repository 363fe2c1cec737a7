from loading import batches


def epoch(net, examples, size=32):
    """The mean output of the net over all examples, of which there is at least one."""
    total = 0.0
    for batch in batches(examples, size):
        total += float(net(batch).sum())
    return total / len(examples)
