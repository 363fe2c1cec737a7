"""Functions with known failures, to be explored."""

import ctypes
import time


def two_failures(n, m):
    if n % 3 == 2:
        return [1, 2][n + 5]
    if m > 50:
        return {}["missing"]
    return n + m


def refuses_odd(n):
    if n % 2:
        raise ValueError("odd")
    return n


def segfault(n, m):
    if n > 5:
        ctypes.string_at(0)
    return m


def hangs(n):
    while n == 3:
        time.sleep(0.01)
    return n


def deaf(n):
    while n > 3:
        try:
            while True:
                time.sleep(0.01)
        except BaseException:
            pass
    return n


def doubles(n):
    return 2 * n if n != 12 else 25


def lazily(n):
    for at in range(n):
        yield 1 / (at - 4)


async def later(n):
    return [0][n]


def helper(n):
    return [1, 2, 3][n]


def nested(n):
    return helper(n)


class Scale:
    def __init__(self, width, depth):
        self.steps = [1 / (width - 5)] * depth

    def step(self, index):
        return self.steps[index]

    @classmethod
    def preset(cls, name):
        return cls(*{"small": (2, 1), "big": (8, 3)}[name])

    @staticmethod
    def halved(n):
        return 10 // (n - 4)


if __name__ == "__main__":
    import sys

    print([1, 2, 3][len(sys.argv)])
