"""A classifier of handwritten digits."""

import tensorflow as tf


def build(classes=10):
    return tf.keras.Sequential([
        tf.keras.layers.Input((28, 28, 1)),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(classes),
    ])


def augment(images: tf.Tensor) -> tf.Tensor:
    images = tf.image.random_flip_left_right(images)
    return tf.clip_by_value(images + tf.random.normal(tf.shape(images), stddev=0.1), 0.0, 1.0)


def train(model, images, labels, epochs=1):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model.fit(augment(images), labels, epochs=epochs).history
