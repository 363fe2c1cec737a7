from torch import nn


#@arg(base): ints(min=1, max=64)
#@arg(levels): ints(min=1, max=4)
#@ensure(repeatable())
#@ensure(len(result) == levels)
def widths(base, levels, result=[]):
    """The channels of each level of the pyramid, doubled from one to the next."""
    for level in range(levels):
        result.append(base * 2**level)
    return result


def pyramid(base=8, levels=3):
    sizes = widths(base, levels, [3])
    return nn.Sequential(*(nn.Conv2d(a, b, 3, 2, 1) for a, b in zip(sizes, sizes[1:])))
