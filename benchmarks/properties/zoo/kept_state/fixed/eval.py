import torch

from charlm import evaluate

if __name__ == "__main__":
    text = torch.randint(0, 20, (70, 12))
    print(evaluate(list(text.split(32))))
