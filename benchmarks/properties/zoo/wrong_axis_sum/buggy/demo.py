import numpy as np

from attention_np import attend, weights

if __name__ == "__main__":
    generator = np.random.default_rng(1)
    print(attend(generator.random((3, 4)), generator.random((5, 4)), generator.random((5, 2))))
    print(weights(generator.random((2, 7))).sum(axis=1))
