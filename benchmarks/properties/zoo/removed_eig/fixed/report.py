import torch

from spectrum import spectrum


def explained(x, k=2):
    """Share of the variance in the first k directions."""
    values = spectrum(x).clamp(min=0)
    return float(values[:k].sum() / values.sum().clamp(min=1e-12))


if __name__ == "__main__":
    print(explained(torch.randn(50, 6)))
