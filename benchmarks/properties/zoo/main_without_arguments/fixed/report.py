#@module_test
"""Prints how the lengths of the sentences are spread."""
import torch

SENTENCES = ["the cat sat", "on the mat", "and looked at the very big dog"]


def lengths(sentences):
    return torch.tensor([len(sentence.split()) for sentence in sentences])


def summary(values):
    return {"min": int(values.min()), "max": int(values.max()), "mean": float(values.float().mean())}


if __name__ == "__main__":
    for name, value in summary(lengths(SENTENCES)).items():
        print(f"{name:>5} {value}")
