import numpy as np

from confusion import confusion

if __name__ == "__main__":
    print(confusion(np.array([0, 1, 1, 0]), np.array([0.1, 0.8, 0.4, 0.3])))
