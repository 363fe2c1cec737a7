"""Networks as people write them; what their inputs are stands in nets.txt."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LeNet(nn.Module):
    def __init__(self):
        super(LeNet, self).__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, self.num_flat_features(x))
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)

    def num_flat_features(self, x):
        size = x.size()[1:]
        num_features = 1
        for s in size:
            num_features *= s
        return num_features


class MnistNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = self.dropout1(F.max_pool2d(x, 2))
        x = torch.flatten(x, 1)
        x = self.fc2(F.relu(self.fc1(x)))
        return F.log_softmax(x, dim=1)


class AlexNet(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, kernel_size=11, stride=4, padding=2), nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(16, 24, kernel_size=5, padding=2), nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(24, 16, kernel_size=3, padding=1), nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
        )
        self.classifier = nn.Sequential(
            nn.Dropout(), nn.Linear(16 * 6 * 6, 64), nn.ReLU(inplace=True), nn.Linear(64, num_classes)
        )

    def forward(self, x):
        x = self.features(x)
        x = x.view(x.size(0), 16 * 6 * 6)
        return self.classifier(x)


class Vgg(nn.Module):
    def __init__(self, plan=(8, "M", 16, "M", 32, 32, "M"), classes=7):
        super().__init__()
        self.features = self._make(plan)
        self.pool = nn.AdaptiveAvgPool2d((2, 2))
        self.head = nn.Linear(32 * 2 * 2, classes)

    def _make(self, plan):
        layers = []
        channels = 3
        for item in plan:
            if item == "M":
                layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
            else:
                layers += [nn.Conv2d(channels, item, kernel_size=3, padding=1), nn.ReLU()]
                channels = item
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.pool(self.features(x))
        return self.head(x.view(x.size(0), -1))


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != self.expansion * planes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, self.expansion * planes, 1, stride=stride, bias=False),
                nn.BatchNorm2d(self.expansion * planes),
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, block=BasicBlock, num_blocks=(1, 1, 1), num_classes=10):
        super().__init__()
        self.in_planes = 8
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.layer1 = self._make_layer(block, 8, num_blocks[0], stride=1)
        self.layer2 = self._make_layer(block, 16, num_blocks[1], stride=2)
        self.layer3 = self._make_layer(block, 32, num_blocks[2], stride=2)
        self.linear = nn.Linear(32 * block.expansion, num_classes)

    def _make_layer(self, block, planes, num_blocks, stride):
        strides = [stride] + [1] * (num_blocks - 1)
        layers = []
        for s in strides:
            layers.append(block(self.in_planes, planes, s))
            self.in_planes = planes * block.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer3(self.layer2(self.layer1(out)))
        out = F.avg_pool2d(out, 4)
        out = out.view(out.size(0), -1)
        return self.linear(out)


class DoubleConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())

    def forward(self, x):
        return self.body(x)


class UNet(nn.Module):
    def __init__(self, in_channels=3, classes=2):
        super().__init__()
        self.down1 = DoubleConv(in_channels, 8)
        self.down2 = DoubleConv(8, 16)
        self.middle = DoubleConv(16, 32)
        self.up1 = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.dec1 = DoubleConv(32, 16)
        self.up2 = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.dec2 = DoubleConv(16, 8)
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Conv2d(8, classes, 1)

    def forward(self, x):
        one = self.down1(x)
        two = self.down2(self.pool(one))
        three = self.middle(self.pool(two))
        x = self.dec1(torch.cat([self.up1(three), two], dim=1))
        x = self.dec2(torch.cat([self.up2(x), one], dim=1))
        return self.out(x)


class PositionalEncoding(nn.Module):
    def __init__(self, width, longest=50):
        super().__init__()
        pe = torch.zeros(longest, width)
        position = torch.arange(0, longest).unsqueeze(1)
        pe[:, 0::2] = torch.sin(position * math.log(2.0))
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class Transformer(nn.Module):
    def __init__(self, vocab=100, width=32, heads=4, depth=2, longest=20):
        super().__init__()
        self.token = nn.Embedding(vocab, width)
        self.position = nn.Embedding(longest, width)
        layer = nn.TransformerEncoderLayer(width, heads, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth)
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens):
        b, t = tokens.shape
        places = torch.arange(t, device=tokens.device)
        x = self.token(tokens) + self.position(places)[None]
        return self.head(self.encoder(x))


class SelfAttention(nn.Module):
    def __init__(self, embed_dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.head_dim = embed_dim // heads
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim)
        self.out = nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        x = (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, d)
        return self.out(x)


class Vit(nn.Module):
    def __init__(self, size=32, patch=8, width=24):
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=patch, stride=patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, width))
        self.pos = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, width))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 5)

    def forward(self, x):
        b = x.shape[0]
        x = self.patches(x).flatten(2).transpose(1, 2)
        cls = self.cls.expand(b, -1, -1)
        x = torch.cat([cls, x], dim=1) + self.pos
        return self.head(self.norm(x)[:, 0])


class Tagger(nn.Module):
    def __init__(self, vocab_size, tags=5, dim=16):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim)
        self.lstm = nn.LSTM(dim, 12, batch_first=True, bidirectional=True)
        self.hidden2tag = nn.Linear(24, tags)

    def forward(self, sentence):
        embeds = self.embedding(sentence)
        out, (h, c) = self.lstm(embeds)
        return F.log_softmax(self.hidden2tag(out), dim=-1)


class Recurrent(nn.Module):
    def __init__(self, input_size, hidden_size, layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.layers = layers
        self.gru = nn.GRU(input_size, hidden_size, layers)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x):
        h0 = torch.zeros(self.layers, x.size(1), self.hidden_size)
        out, _ = self.gru(x, h0)
        return self.fc(out[-1, :, :])


class CharRnn(nn.Module):
    def __init__(self, size=10, hidden=8):
        super().__init__()
        self.i2h = nn.Linear(size + hidden, hidden)
        self.i2o = nn.Linear(size + hidden, 3)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, letter, hidden):
        combined = torch.cat((letter, hidden), 1)
        return self.softmax(self.i2o(combined)), self.i2h(combined)


class Generator(nn.Module):
    def __init__(self, latent=16, channels=1):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(latent, 32, 4, 1, 0, bias=False), nn.BatchNorm2d(32), nn.ReLU(True),
            nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
            nn.ConvTranspose2d(16, channels, 4, 2, 1, bias=False), nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(784, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1), nn.Sigmoid()
        )

    def forward(self, img):
        flat = img.view(img.size(0), -1)
        return self.model(flat)


class ConditionalGenerator(nn.Module):
    def __init__(self, classes=10, latent=20):
        super().__init__()
        self.label = nn.Embedding(classes, classes)
        self.net = nn.Sequential(nn.Linear(latent + classes, 32), nn.BatchNorm1d(32), nn.Linear(32, 64))

    def forward(self, noise, labels):
        x = torch.cat((self.label(labels), noise), -1)
        return self.net(x).view(x.size(0), 1, 8, 8)


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 40)
        self.fc21 = nn.Linear(40, 8)
        self.fc22 = nn.Linear(40, 8)
        self.fc3 = nn.Linear(8, 784)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc3(z))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 784))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


class PointNet(nn.Module):
    def __init__(self, k=4):
        super().__init__()
        self.conv1 = nn.Conv1d(3, 16, 1)
        self.bn1 = nn.BatchNorm1d(16)
        self.conv2 = nn.Conv1d(16, 32, 1)
        self.fc = nn.Linear(32, k)

    def forward(self, x):
        n = x.size()[2]
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.conv2(x)
        x = torch.max(x, 2, keepdim=True)[0]
        x = x.view(-1, 32)
        return self.fc(x)


class Mlp(nn.Module):
    def __init__(self, in_features, sizes=(16, 8), out=2):
        super().__init__()
        layers, last = [], in_features
        for size in sizes:
            layers.append(nn.Linear(last, size))
            layers.append(nn.BatchNorm1d(size))
            layers.append(nn.ReLU())
            last = size
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(last, out)

    def forward(self, x):
        return self.head(self.body(x))


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(8, 4, 3, stride=2, padding=1), nn.Flatten(), nn.Linear(4 * 7 * 7, 6),
        )
        self.decoder = nn.Sequential(
            nn.Linear(6, 4 * 7 * 7), nn.Unflatten(1, (4, 7, 7)), nn.ConvTranspose2d(4, 1, 4, 4)
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


class TextCnn(nn.Module):
    def __init__(self, vocab=50, dim=12, kernels=(3, 4, 5)):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList([nn.Conv2d(1, 6, (k, dim)) for k in kernels])
        self.fc = nn.Linear(6 * len(kernels), 2)

    def forward(self, x):
        x = self.embed(x).unsqueeze(1)
        x = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
        x = [F.max_pool1d(i, i.size(2)).squeeze(2) for i in x]
        return self.fc(torch.cat(x, 1))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4, 2)

    def once(self, x):
        return self.fc(F.relu(self.conv(x)).mean(dim=(2, 3)))

    def forward(self, left, right):
        return (self.once(left) - self.once(right)).abs().sum(1)


class CrossAttention(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, 4, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, query, memory):
        out, _ = self.attention(query, memory, memory)
        return self.norm(query + out)


class PixelUp(nn.Module):
    def __init__(self, scale=2):
        super().__init__()
        self.conv = nn.Conv2d(3, 3 * scale**2, 3, padding=1)
        self.shuffle = nn.PixelShuffle(scale)

    def forward(self, x):
        return F.interpolate(x, scale_factor=2, mode="nearest") + self.shuffle(self.conv(x))


class GroupNet(nn.Module):
    def __init__(self, channels, groups=4):
        super().__init__()
        self.conv = nn.Conv2d(channels, 16, 3, padding=1)
        self.norm = nn.GroupNorm(groups, 16)

    def forward(self, x, gate=None):
        x = self.norm(self.conv(x))
        if gate is not None:
            x = x * gate
        return x


class QNetwork(nn.Module):
    def __init__(self, state_size, action_size):
        super().__init__()
        self.fc1 = nn.Linear(state_size, 64)
        self.value = nn.Linear(64, 1)
        self.advantage = nn.Linear(64, action_size)

    def forward(self, state):
        x = F.relu(self.fc1(state))
        a = self.advantage(x)
        return self.value(x) + a - a.mean(dim=1, keepdim=True)


def kl_loss(mu, logvar):
    return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


def accuracy(logits, labels):
    loss = F.cross_entropy(logits, labels)
    return loss, (logits.argmax(dim=1) == labels).float().mean()


def reconstruction(recon, target):
    return F.binary_cross_entropy(recon, target)


def scores(q, k):
    return torch.einsum("bhid,bhjd->bhij", q, k)


def batched(a, b):
    return torch.bmm(a, b.transpose(1, 2))


def nchw(image):
    b, h, w, c = image.shape
    return image.permute(0, 3, 1, 2).reshape(b, c * h, w)


class Gated(nn.Module):
    def forward(self, x):
        x, gate = x.chunk(2, dim=-1)
        return x * F.gelu(gate)
