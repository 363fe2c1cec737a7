"""Trains a classifier on features in an .npz file."""

import argparse
import logging
import os
import random
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from net import Classifier

log = logging.getLogger("train")


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def load(path):
    """Features and labels; ends the program with a message where they are missing."""
    if not os.path.exists(path):
        sys.exit(f"no such file: {path}")
    with np.load(path) as data:
        return data["features"].astype("float32"), data["labels"].astype("int64")


def loader(features, labels, batch_size, shuffle=True):
    dataset = TensorDataset(torch.from_numpy(features), torch.from_numpy(labels))
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)


def run_epoch(model, batches, criterion, optimizer=None):
    """Mean loss; trains where there is an optimizer."""
    total, count = 0.0, 0
    model.train(optimizer is not None)
    for features, labels in batches:
        with torch.set_grad_enabled(optimizer is not None):
            loss = criterion(model(features), labels)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(labels)
        count += len(labels)
    return total / max(count, 1)


def resume(model, path):
    if path and os.path.isfile(path):
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        log.info("resumed from %s", path)
        return True
    return False


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data/train.npz")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", default="")
    options = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO)
    seed_everything(options.seed)
    features, labels = load(options.data)
    model = Classifier(features.shape[1], int(labels.max()) + 1)
    resume(model, options.checkpoint)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    for epoch in range(options.epochs):
        batches = loader(features, labels, options.batch_size)
        loss = run_epoch(model, batches, nn.CrossEntropyLoss(), optimizer)
        log.info("epoch %d: %.4f", epoch, loss)
    if options.checkpoint:
        torch.save(model.state_dict(), options.checkpoint)


if __name__ == "__main__":
    main()
