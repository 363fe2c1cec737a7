import numpy as np
from assayer_annotations import arg, ensure, ints, np_arrays


@arg("data", np_arrays(dtype="float32", shape=(ints(min=1, max=12), 2), min=-1, max=1))
@arg("count", ints(min=1, max=12))
@arg("seed", ints(min=0, max=3))
@ensure("len(result) == min(count, len(data))")
def sample(data, count, seed=0):
    """At most count rows of data, each once."""
    generator = np.random.default_rng(seed)
    return data[generator.choice(len(data), size=min(count, len(data)), replace=False)]
