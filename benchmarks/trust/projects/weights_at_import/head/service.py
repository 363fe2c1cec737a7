"""Serves predictions of a trained network."""

import torch
from torch import nn


def load(path):
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    model.load_state_dict(torch.load(path, weights_only=True))
    return model.eval()


MODEL = load("/srv/models/churn-2024-03.pt")


def predict(features: torch.Tensor) -> torch.Tensor:
    """Classes of features of shape (N, 4)."""
    with torch.no_grad():
        return MODEL(features).argmax(dim=1)
