import torch

from pixels import normalized


def main():
    pictures = torch.rand(2, 3, 224, 224)
    print(normalized(pictures).mean())


if __name__ == "__main__":
    main()
