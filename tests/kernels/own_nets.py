"""Nets of other kinds than language models, small: residual and depthwise convolutions, an encoder with a
decoder, recurrent layers, the U-Net of a diffusion model, a function with a backward of its own.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Residual(nn.Module):
    """As in ResNet: a bottleneck, a shortcut of its own."""

    def __init__(self, wide, narrow, out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(wide, narrow, 1, bias=False), nn.BatchNorm2d(narrow), nn.ReLU(),
            nn.Conv2d(narrow, narrow, 3, stride, 1, bias=False), nn.BatchNorm2d(narrow), nn.ReLU(),
            nn.Conv2d(narrow, out, 1, bias=False), nn.BatchNorm2d(out))
        self.shortcut = nn.Sequential(nn.Conv2d(wide, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
                                  nn.MaxPool2d(3, 2, 1))
        self.stages = nn.Sequential(Residual(16, 8, 32, 1), Residual(32, 16, 64, 2))
        # As in MobileNet.
        self.depthwise = nn.Sequential(nn.Conv2d(64, 64, 3, padding=1, groups=64, bias=False),
                                       nn.BatchNorm2d(64), nn.ReLU6(), nn.Conv2d(64, 32, 1))
        self.head = nn.Linear(32, 10)

    def forward(self, image):
        return self.head(self.depthwise(self.stages(self.stem(image))).mean((2, 3)))


class ChannelsLast(nn.Module):
    """As in ConvNeXt: a norm over the channels leaves them last in memory for the next convolution, whose
    weight and gradient do not have them there."""

    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 16, 4, 4), nn.LayerNorm(16)
        self.down, self.head = nn.Conv2d(16, 32, 2, 2), nn.Linear(32, 10)

    def forward(self, image):
        x = self.norm(self.stem(image).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.head(self.down(x).mean((2, 3)))


class EncoderDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(60, 32)
        self.transformer = nn.Transformer(32, 4, 2, 2, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, 60)

    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1], device=target.device)
        x = self.transformer(self.embedding(source), self.embedding(target), tgt_mask=mask,
                             tgt_is_causal=True)
        return self.head(x)


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding, self.head = nn.Embedding(40, 16), nn.Linear(24, 40)
        self.layers = kind(16, 24, num_layers=2, batch_first=True)

    def forward(self, tokens):
        return self.head(self.layers(self.embedding(tokens))[0])


class Timed(nn.Module):
    """A block of the U-Net: two convolutions, with the time of the noise in between."""

    def __init__(self, channels, out):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, channels), nn.Conv2d(channels, out, 3, padding=1)
        self.time = nn.Linear(32, out)
        self.norm2, self.conv2 = nn.GroupNorm(4, out), nn.Conv2d(out, out, 3, padding=1)
        self.shortcut = nn.Conv2d(channels, out, 1)

    def forward(self, x, time):
        y = self.conv1(F.silu(self.norm1(x))) + self.time(time)[:, :, None, None]
        return self.conv2(F.silu(self.norm2(y))) + self.shortcut(x)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 32))
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.down1, self.half1 = Timed(16, 16), nn.Conv2d(16, 16, 3, 2, 1)
        self.down2, self.half2 = Timed(16, 32), nn.Conv2d(32, 32, 3, 2, 1)
        self.middle, self.attention = Timed(32, 32), nn.MultiheadAttention(32, 4, batch_first=True)
        self.up2, self.up1 = Timed(64, 16), Timed(32, 16)
        self.twice = nn.ConvTranspose2d(16, 16, 4, 2, 1)
        self.last = nn.Conv2d(16, 3, 3, padding=1)

    def forward(self, noisy, step):
        rates = torch.exp(torch.arange(8, device=step.device) * (-math.log(10000.0) / 8))
        angles = step[:, None] * rates[None]
        time = self.time(torch.cat((angles.cos(), angles.sin()), -1))
        x1 = self.down1(self.first(noisy), time)
        x2 = self.down2(self.half1(x1), time)
        x = self.middle(self.half2(x2), time)
        tokens = x.flatten(2).transpose(1, 2)
        tokens = tokens + self.attention(tokens, tokens, tokens, need_weights=False)[0]
        x = tokens.transpose(1, 2).reshape(x.shape)
        x = self.up2(torch.cat((F.interpolate(x, scale_factor=2.0), x2), 1), time)
        x = self.up1(torch.cat((self.twice(x), x1), 1), time)
        return F.mse_loss(self.last(x), torch.zeros_like(noisy))


class Straight(torch.autograd.Function):
    """Rounds, with the gradient of the identity."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class OwnBackward(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(24, 48), nn.Linear(48, 24)

    def forward(self, x):
        return self.down(Straight.apply(self.up(x) * 4) / 4)


def nets():
    """Name, module, example inputs, open dimensions."""
    b, t = torch.export.Dim("B", min=2, max=64), torch.export.Dim("T", min=2, max=64)
    tokens = torch.zeros(3, 12, dtype=torch.long)
    image = torch.zeros(3, 3, 32, 32)
    return [("resnet", ResNet(), (image,), ({0: b},)),
            ("channels_last", ChannelsLast(), (image,), ({0: b},)),
            ("encoder_decoder", EncoderDecoder(), (tokens, tokens[:, :9].contiguous()),
             ({0: b, 1: t}, {0: b})),
            ("lstm", Recurrent(nn.LSTM), (tokens,), ({0: b},)),
            ("gru", Recurrent(nn.GRU), (tokens,), ({0: b},)),
            ("unet", UNet(), (torch.zeros(3, 3, 16, 16), torch.zeros(3)), ({0: b}, {0: b})),
            ("own_backward", OwnBackward(), (torch.zeros(3, 8, 24),), ({0: b, 1: t},))]
