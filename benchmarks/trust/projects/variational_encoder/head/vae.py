import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    """Variational autoencoder of flat pictures."""

    def __init__(self, inputs=64, hidden=32, latent=8):
        super().__init__()
        self.encoder = nn.Linear(inputs, hidden)
        self.mean = nn.Linear(hidden, latent)
        self.log_var = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, inputs), nn.Sigmoid()
        )

    def encode(self, x):
        h = F.relu(self.encoder(x))
        return self.mean(h), self.log_var(h)

    def reparameterize(self, mu, log_var):
        if not self.training:
            return mu
        std = torch.exp(0.5 * log_var)
        return mu + torch.randn_like(std) * std

    def forward(self, x):
        mu, log_var = self.encode(x)
        z = self.reparameterize(mu, log_var)
        return self.decoder(z), mu, log_var


def vae_loss(reconstruction, x, mu, log_var, beta=1.0):
    """Reconstruction error and KL divergence, per example.

    Args:
        reconstruction (torch.Tensor): decoder outputs in [0, 1], shape (N, D).
        x (torch.Tensor): originals in [0, 1], shape (N, D).
        mu (torch.Tensor): means, shape (N, L).
        log_var (torch.Tensor): logarithms of the variances, shape (N, L).
        beta (float): weight of the divergence.
    """
    entropy = F.binary_cross_entropy(reconstruction, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_var - mu.pow(2) - log_var.exp())
    return (entropy + beta * divergence) / x.size(0)
