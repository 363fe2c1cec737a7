import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras


class Remember(keras.callbacks.Callback):
    """Keeps the validation loss of every epoch; None for one without validation."""

    def __init__(self):
        super().__init__()
        self.history = []

    def on_epoch_end(self, epoch, logs=None):
        self.history.append((logs or {}).get("val_loss"))
