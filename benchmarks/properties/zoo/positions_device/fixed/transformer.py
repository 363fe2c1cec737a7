import torch
from torch import nn

from positions import with_positions


class Encoder(nn.Module):
    def __init__(self, words=100, dim=16):
        super().__init__()
        self.embedding = nn.Embedding(words, dim)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True)

    def forward(self, ids):
        return self.layer(with_positions(self.embedding(ids)))


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = Encoder().to(device)
    print(net(torch.randint(0, 100, (2, 7), device=device)).shape)
