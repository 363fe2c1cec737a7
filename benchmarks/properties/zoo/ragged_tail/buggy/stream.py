import torch

from chunks import chunks


def energy(signal):
    return [float(piece.pow(2).sum()) for piece in chunks(signal, 256)]


if __name__ == "__main__":
    print(energy(torch.rand(1000, 2)))
    print(len(list(chunks(torch.rand(44, 1), size=10))))
