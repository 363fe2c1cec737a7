from mlp import build_mlp


def main():
    for units in (8, 32, 64):
        model = build_mlp(features=10, units=units)
        model.compile("adam", "sparse_categorical_crossentropy")
        print(model.count_params())


if __name__ == "__main__":
    main()
