import torch

from tiles import count, tiles

if __name__ == "__main__":
    for h, w in ((64, 64), (100, 60), (7, 40), (5, 5)):
        assert len(tiles(torch.rand(3, h, w))) == count(h, w)
    print(tiles(torch.rand(1, 33, 9), size=8).shape)
