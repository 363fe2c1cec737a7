from typing import Sequence

import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    """Consecutive states of a trajectory: (state, next state)."""

    def __init__(self, states: Sequence[float]) -> None:
        self.states = torch.tensor(states, dtype=torch.float32)

    def __len__(self) -> int:
        return max(0, len(self.states) - 1)

    def __getitem__(self, index: int):
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.states[index], self.states[index + 1]


def loader(states, batch_size=4):
    return DataLoader(Pairs(states), batch_size=batch_size)


if __name__ == "__main__":
    for now, then in loader([0.0, 0.5, 0.25, 0.125, 0.0, 1.0]):
        print((then - now).abs().mean())
