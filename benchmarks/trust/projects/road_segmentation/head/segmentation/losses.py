"""Losses for semantic segmentation of street scenes."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def one_hot(labels, num_classes):
    """Encode label maps.

    Args:
        labels (torch.Tensor): integer class ids of shape (N, H, W), 0 to num_classes - 1.
        num_classes (int): number of classes.

    Returns:
        torch.Tensor: shape (N, C, H, W).
    """
    return F.one_hot(labels.long(), num_classes).permute(0, 3, 1, 2).float()


class DiceLoss(nn.Module):
    """Soft Dice loss, averaged over classes.

    Args:
        smooth (float): added to numerator and denominator.
        ignore_index (int, optional): a class that does not count.
    """

    def __init__(self, smooth: float = 1.0, ignore_index=None):
        super().__init__()
        self.smooth = smooth
        self.ignore_index = ignore_index

    def forward(self, logits, targets):
        """Compute the loss.

        Args:
            logits (torch.Tensor): raw scores of shape (N, C, H, W).
            targets (torch.Tensor): class ids of shape (N, H, W) in the range 0 to C - 1.

        Returns:
            torch.Tensor: a scalar.
        """
        classes = logits.shape[1]
        probabilities = logits.softmax(dim=1)
        encoded = one_hot(targets, classes)
        intersection = (probabilities * encoded).sum(dim=(0, 2, 3))
        union = probabilities.sum(dim=(0, 2, 3)) + encoded.sum(dim=(0, 2, 3))
        score = (2 * intersection + self.smooth) / (union + self.smooth)
        if self.ignore_index is not None:
            keep = torch.ones(classes, dtype=torch.bool)
            keep[self.ignore_index] = False
            score = score[keep]
        return 1 - score.mean()


class CombinedLoss(nn.Module):
    """Cross entropy and Dice, weighted."""

    def __init__(self, weight: float = 0.5):
        super().__init__()
        self.weight = weight
        self.dice = DiceLoss()

    def forward(self, logits, targets):
        """Compute the loss.

        Args:
            logits (torch.Tensor): shape (N, C, H, W).
            targets (torch.Tensor): class ids of shape (N, H, W) in the range 0 to C - 1.
        """
        entropy = F.cross_entropy(logits, targets.long())
        return self.weight * entropy + (1 - self.weight) * self.dice(logits, targets)
