import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras import layers


def block(x, filters):
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)


#@arg(height): ints(min=8, max=40)
#@arg(width): ints(min=8, max=40)
#@arg(filters): ints(min=1, max=4)
#@timeout(20)
def build_unet(height, width, filters=4):
    """Segments grey pictures of a fixed size."""
    inputs = keras.Input((height, width, 1))
    skips, x = [], inputs
    for level in range(2):
        x = block(x, filters * 2**level)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = block(x, filters * 4)
    for level, skip in reversed(list(enumerate(skips))):
        x = layers.Resizing(skip.shape[1], skip.shape[2], interpolation="nearest")(x)
        x = layers.Concatenate()([x, skip])
        x = block(x, filters * 2**level)
    return keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))
