import numpy as np
import torch
import torch.nn as nn


#: input_dim: froms([4, 8, 16, 32]) GUESS
#: hidden_dim: froms([4, 8, 16, 32]) GUESS
#: output_dim: froms([4, 8, 16, 32]) GUESS
#: num_layers: ints(min=1, max=4) LIKELY
#: dropout: floats(min=0, max=0.9) LIKELY
#: bias: bools() LIKELY
def mlp(input_dim, hidden_dim, output_dim, num_layers=2, dropout=0.1, bias=True):
    layers = [nn.Linear(input_dim, hidden_dim)]
    for _ in range(num_layers):
        layers += [nn.Linear(hidden_dim, hidden_dim), nn.Dropout(dropout)]
    return nn.Sequential(*layers, nn.Linear(hidden_dim, output_dim, bias=bias))


#: model: modules() GUESS
#: optimizer: optimizers() LIKELY
#: epochs: ints(min=1, max=4) LIKELY
#: lr: floats(min=1e-05, max=0.1) LIKELY
#: seed: ints(min=0, max=100) LIKELY
def train(model, optimizer, epochs, lr=1e-3, seed=0):
    torch.manual_seed(seed)
    for _ in range(epochs):
        optimizer.step()


#: batch_size: ints(min=1, max=8) GUESS
#: vocab_size: ints(min=8, max=64) LIKELY
#: seq_len: ints(min=4, max=16) GUESS
def generate(batch_size, vocab_size, seq_len):
    return torch.randint(0, vocab_size, (batch_size, seq_len))


#: labels: tensors() GUESS
#: num_classes: ints(min=2, max=10) LIKELY
#: label_smoothing: floats(min=0, max=0.5) LIKELY
def smooth(labels, num_classes, label_smoothing=0.1):
    one_hot = torch.eye(num_classes)[labels]
    return one_hot * (1 - label_smoothing) + label_smoothing / num_classes


#: images: tensors(dtype="float32", shape=("b", 3, ints(min=8, max=32), ints(min=8, max=32)), min=0, max=1) GUESS
#: p: floats(min=0, max=1) LIKELY
def augment(images, p=0.5):
    return torch.flip(images, dims=[-1]) if torch.rand(1) < p else images


#: image_path: paths(kind="image") GUESS
#: root: paths(kind="folder") GUESS
#: transform: absent
def load(image_path, root, transform=None):
    return root, image_path


#: filename: paths() LIKELY
def read_lines(filename):
    with open(filename) as lines:
        return lines.read().split()


#: x: tensors(dtype="float32") GUESS
#: eps: floats(min=1e-08, max=0.01) LIKELY
def normalize(x, eps=1e-6):
    return (x - x.mean()) / (x.std() + eps)


#: x: np_arrays(dtype="float32") GUESS
#: axis: absent
def normalize_numpy(x, axis=-1):
    return x / np.linalg.norm(x, axis=axis, keepdims=True)


#: text: strings(min_len=1, max_len=20) LIKELY
def shout(text):
    return text.upper()


#: args: configs(lr=floats(min=1e-5, max=0.1), batch_size=ints(min=1, max=8)) GUESS
def options(args):
    return torch.full((args.batch_size,), args.lr)


#: args: absent
def unknown_option(args):
    return args.flux_capacitor


#: foo: absent
#: bar: absent
#: baz: absent
#: qux: absent
def meaningless(foo, bar=3, baz="relu", qux=None):
    return foo


#: alpha: absent
#: threshold: absent
def wrong_type(alpha="full", threshold=None):
    return alpha


#: act: absent
#: init: absent
def default_object(act=nn.ReLU, init=torch.zeros):
    return act()


#: kernel_size: absent
#: stride: absent
#: padding: absent
#: shape: absent
def sizes(kernel_size=3, stride=1, padding=0, shape=(3, 32, 32)):
    return kernel_size, stride, padding, shape


#: width: absent
#: momentum: floats(min=0.01, max=0.9) LIKELY
#: verbose: bools() STRONG
#: name: absent
def hinted_default(width: int = 64, momentum: float = 0.9, verbose: bool = False, name: str = "net"):
    return width


#: sizes: absent
#: rates: absent
def size_of_layers(sizes=[64, 32], rates=[0.1, 0.2]):
    return sizes


class Critic(nn.Module):
    #: state_dim: froms([4, 8, 16, 32]) GUESS
    #: action_dim: froms([4, 8, 16, 32]) GUESS
    #: hidden_size: absent
    #: use_norm: bools() LIKELY
    #: gamma: floats(min=0.5, max=0.99) LIKELY
    def __init__(self, state_dim, action_dim, hidden_size=256, use_norm=False, gamma=0.99):
        super().__init__()
        self.gamma = gamma

    #: state: tensors(dtype="float32") GUESS
    #: action: tensors(dtype="float32") GUESS
    def forward(self, state, action):
        return torch.cat([state, action], dim=-1)

    #: reward: tensors(dtype="float32") GUESS
    #: gamma: floats(min=0.5, max=0.99) GUESS
    @staticmethod
    def discount(reward, gamma):
        return reward * gamma

    #: state_dim: froms([4, 8, 16, 32]) GUESS
    @classmethod
    def build(cls, state_dim):
        return cls(state_dim, 2)
