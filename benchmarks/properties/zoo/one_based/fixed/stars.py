import numpy as np

from labels import one_hot

if __name__ == "__main__":
    ratings = np.array([5, 1, 3, 4])
    print(one_hot(ratings, classes=5))
    print(one_hot(np.array([1, 2, 2]), 2))
