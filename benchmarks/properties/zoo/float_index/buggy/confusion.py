import numpy as np


def confusion(truth: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """2 x 2 counts of a binary classifier.

    Args:
        truth: int array of zeros and ones, shape (n,).
        probabilities: of a one, floats from 0 to 1, shape (n,).
    """
    if truth.shape != probabilities.shape:
        raise ValueError("one probability is needed for each example")
    matrix = np.zeros((2, 2), dtype=int)
    for actual, predicted in zip(truth, np.round(probabilities)):
        matrix[actual, predicted] += 1
    return matrix
