from torch.utils.data import Dataset
import torch


class Windows(Dataset):
    """Windows of a series, each with the value that follows it."""

    #@arg(values): float_lists(min_len=6, max_len=20, min=-10, max=10)
    #@arg(size): ints(min=1, max=5)
    def __init__(self, values, size):
        self.values = torch.tensor(values)
        self.size = size

    def __len__(self):
        return len(self.values) - self.size + 1

    #@arg(index): ints(min=0, max=19)
    #@require(index < len(self))
    def __getitem__(self, index):
        end = index + self.size
        return self.values[index:end], self.values[end]
