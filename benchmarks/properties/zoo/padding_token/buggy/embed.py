from torch import nn


#@arg(words): ints(min=1, max=200)
#@arg(dim): ints(min=1, max=16)
#@arg(pad_last): bools()
def word_embedding(words, dim, pad_last=True):
    """A table of word vectors.

    words: how many there are, without padding
    pad_last: padding has the number after the last word, else there is none
    """
    if pad_last:
        return nn.Embedding(words, dim, padding_idx=words)
    return nn.Embedding(words, dim)


if __name__ == "__main__":
    print(word_embedding(10, 4, False))
