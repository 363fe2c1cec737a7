"""
Networks from settings:

width    features of hidden layers
depth    how many hidden layers there are
dropout  share of features left out, 0 for none
"""

from torch import nn


#@arg(settings): configs(width=ints(min=1, max=32), depth=ints(min=0, max=4), dropout=floats(min=0, max=0.9))
#@arg(inputs): ints(min=1, max=16)
#@arg(outputs): ints(min=1, max=8)
def build(settings, inputs, outputs):
    layers = []
    for _ in range(settings.depth):
        layers += [nn.Linear(inputs, settings.width), nn.GELU()]
        if settings.dropout > 0:
            layers.append(nn.Dropout(settings.dropout))
        inputs = settings.width
    return nn.Sequential(*layers, nn.Linear(inputs, outputs))
