"""Boxes are rows: left, top, right, bottom."""
import numpy as np


#@arg(boxes): np_arrays(dtype="float64", shape=(ints(min=0, max=5), 4), min=0, max=100)
#@arg(scores): np_arrays(dtype="float64", shape=(ints(min=0, max=5),), min=0, max=1)
#@require(len(boxes) == len(scores))
def best_box(boxes, scores):
    """The box with the highest score; None where nothing was detected."""
    boxes = np.asarray(boxes)
    if boxes.ndim != 2:
        raise ValueError("boxes has two axes")
    best = np.argmax(scores)
    return boxes[best]
