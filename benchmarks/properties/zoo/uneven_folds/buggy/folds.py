import numpy as np


#@arg(count): ints(min=2, max=40)
#@arg(k): ints(min=2, max=10)
#@arg(seed): ints(min=0, max=9)
#@require(k <= count)
#@ensure(sorted(i for fold in result for i in fold) == list(range(count)))
def folds(count, k, seed=0):
    """Places of count examples in k folds of about the same size."""
    if k > count:
        raise ValueError("more folds than examples")
    order = np.random.default_rng(seed).permutation(count)
    return [fold.tolist() for fold in order.reshape(k, -1)]
