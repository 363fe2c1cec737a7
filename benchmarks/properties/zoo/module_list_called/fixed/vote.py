import torch

from ensemble import Ensemble

net = Ensemble(members=3, features=10, classes=4)
print(net(torch.rand(5, 10)).argmax(dim=1))
