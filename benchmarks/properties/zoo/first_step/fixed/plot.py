from noam import rate


def curve(steps=100):
    return [rate(step, warmup=10) for step in range(steps)]


if __name__ == "__main__":
    print(curve())
