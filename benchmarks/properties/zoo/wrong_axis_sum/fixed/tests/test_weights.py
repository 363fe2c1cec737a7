import numpy as np

from attention_np import weights


def test_equal_scores():
    assert np.allclose(weights(np.zeros((4, 4))), 0.25)
