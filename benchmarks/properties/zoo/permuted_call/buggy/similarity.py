import numpy as np

from pairwise import pairwise

if __name__ == "__main__":
    steps = np.random.default_rng(0).normal(size=(2, 5, 3)).astype("float32")
    print(pairwise(steps).shape)
