"""A small GAN on vectors."""

import torch
import torch.nn as nn

LATENT = 8
DATA = 16


def generator(latent=LATENT, data=DATA):
    return nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, data), nn.Tanh())


def discriminator(data=DATA):
    return nn.Sequential(nn.Linear(data, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))


class Trainer:
    def __init__(self, lr=2e-4):
        self.G = generator()
        self.D = discriminator()
        self.g_opt = torch.optim.Adam(self.G.parameters(), lr=lr, betas=(0.5, 0.999))
        self.d_opt = torch.optim.Adam(self.D.parameters(), lr=lr, betas=(0.5, 0.999))
        self.criterion = nn.BCEWithLogitsLoss()

    def sample(self, count):
        return self.G(torch.randn(count, LATENT))

    def step(self, real):
        """One step on a batch of shape (N, 16); the two losses."""
        count = real.size(0)
        ones, zeros = torch.ones(count, 1), torch.zeros(count, 1)
        self.d_opt.zero_grad()
        fake = self.sample(count)
        d_loss = self.criterion(self.D(real), ones) + self.criterion(self.D(fake.detach()), zeros)
        d_loss.backward()
        self.d_opt.step()
        self.g_opt.zero_grad()
        g_loss = self.criterion(self.D(fake), ones)
        g_loss.backward()
        self.g_opt.step()
        return d_loss.item(), g_loss.item()


def gradient_penalty(critic, real, fake):
    """Penalty of WGAN-GP; real and fake of shape (N, D)."""
    share = torch.rand(real.size(0), 1)
    mixed = (share * real + (1 - share) * fake).requires_grad_(True)
    scores = critic(mixed)
    (gradient,) = torch.autograd.grad(scores.sum(), mixed, create_graph=True)
    return ((gradient.norm(2, dim=1) - 1) ** 2).mean()
