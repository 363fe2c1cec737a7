from collections import Counter


def f1(hypothesis: list[str], reference: list[str]) -> float:
    """Unigram overlap of two token lists, from 0 (nothing in common) to 1."""
    if not hypothesis or not reference:
        return 0.0
    common = sum((Counter(hypothesis) & Counter(reference)).values())
    precision, recall = common / len(hypothesis), common / len(reference)
    return 2 * precision * recall / (precision + recall)
