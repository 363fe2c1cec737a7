from resnet.block import residual
