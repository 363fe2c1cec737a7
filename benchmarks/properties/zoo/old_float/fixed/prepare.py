import numpy as np

from features import standardized

if __name__ == "__main__":
    print(standardized(np.array([[1, 2], [3, 4], [5, 9]])))
    print(standardized(np.ones((1, 3))))
