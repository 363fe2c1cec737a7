from torch import nn

from noise import add_noise


def policy(states: int, actions: int) -> nn.Module:
    return nn.Sequential(nn.Linear(states, 16), nn.Tanh(), nn.Linear(16, actions))


def explorers(count: int) -> list[nn.Module]:
    found = []
    for number in range(count):
        net = policy(4, 2)
        if number:
            add_noise(net, 0.05 * number)
        found.append(net)
    return found


if __name__ == "__main__":
    print(len(explorers(3)))
