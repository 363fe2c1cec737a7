import torch
from torch import nn


class PatchEmbed(nn.Module):
    """Pictures to sequences of patches."""

    def __init__(self, size=32, patch=8, channels=3, width=24):
        super().__init__()
        assert size % patch == 0, "the patch size must divide the picture's"
        self.size = size
        self.patches = (size // patch) ** 2
        self.project = nn.Conv2d(channels, width, kernel_size=patch, stride=patch)

    def forward(self, x):
        batch, channels, height, width = x.shape
        assert height == self.size and width == self.size, f"pictures must be {self.size} wide and high"
        return self.project(x).flatten(2).transpose(1, 2)


class ViT(nn.Module):
    def __init__(self, size=32, patch=8, width=24, depth=1, classes=10):
        super().__init__()
        self.embed = PatchEmbed(size, patch, 3, width)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.zeros(1, self.embed.patches + 1, width))
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        """Scores of pictures of shape (N, 3, 32, 32)."""
        x = self.embed(x)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1) + self.position
        return self.head(self.encoder(x)[:, 0])
