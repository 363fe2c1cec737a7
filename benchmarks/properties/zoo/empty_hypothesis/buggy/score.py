from rouge import f1


def corpus_f1(pairs):
    scores = [f1(a.split(), b.split()) for a, b in pairs]
    return sum(scores) / max(1, len(scores))


if __name__ == "__main__":
    print(corpus_f1([("the cat sat", "a cat sat down"), ("", "nothing was said")]))
    print(f1(["a", "dog"], ["one", "cat"]))
