import numpy as np

from callbacks import Remember
import keras


def main():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    remember = Remember()
    model.fit(np.zeros((4, 2)), np.zeros((4, 1)), epochs=2, callbacks=[remember], verbose=0)
    remember.on_epoch_end(3)
    remember.on_epoch_end(4, {"loss": 0.5, "val_loss": 0.6})
    print(remember.history)


if __name__ == "__main__":
    main()
