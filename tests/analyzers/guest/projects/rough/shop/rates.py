RATE = 2


def other(item):
    return len(item) * RATE
