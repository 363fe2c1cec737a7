"""Code that runs on a backend of Keras, to be explored."""

import keras


def softened(values, axis):
    return keras.backend.backend() + str(keras.ops.softmax(values, axis=axis).shape)
