import torch

from split_features import heads_of, join_heads

if __name__ == "__main__":
    for heads in (1, 2, 4, 8):
        print(join_heads(heads_of(torch.rand(6, 16), heads)).shape)
