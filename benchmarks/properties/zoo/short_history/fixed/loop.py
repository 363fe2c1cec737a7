from early import should_stop


def train(epochs=10):
    losses = []
    for epoch in range(epochs):
        losses.append(1.0 / (1 + epoch) if epoch < 4 else 0.25)
        if should_stop(losses, patience=2):
            break
    return losses


if __name__ == "__main__":
    print(train())
