"""Figures for the validation log."""

import torch


def confusion(predictions, labels, num_classes: int):
    """Count pairs of label and prediction.

    Args:
        predictions (torch.LongTensor): class ids of shape (N, H, W), 0 to num_classes - 1.
        labels (torch.LongTensor): class ids of shape (N, H, W), 0 to num_classes - 1.
        num_classes (int): number of classes.
    """
    known = (labels >= 0) & (labels < num_classes)
    pairs = num_classes * labels[known] + predictions[known]
    return torch.bincount(pairs, minlength=num_classes**2).reshape(num_classes, num_classes)


def mean_iou(matrix: torch.Tensor) -> float:
    """Mean intersection over union of a square confusion matrix of shape (C, C)."""
    matrix = matrix.float()
    diagonal = matrix.diagonal()
    union = matrix.sum(0) + matrix.sum(1) - diagonal
    seen = union > 0
    if not seen.any():
        return 0.0
    return (diagonal[seen] / union[seen]).mean().item()
