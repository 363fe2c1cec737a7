#@arg(words): string_lists(min_len=0, max_len=6)
#@ensure(len(result) == max(0, len(words) - 1))
def bigrams(words):
    """Pairs of words that follow each other, for the language model."""
    return [(words[i], words[i + 1]) for i in range(len(words) - 1)]
