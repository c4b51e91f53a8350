"""Modules as somebody might write them, and their export: own_models.py FOLDER writes NAME.pt2 of each.

The Transformer is written from the description of CS336's first assignment: linear layers by einsum,
softmax by hand, a mask made in every layer, rotary positions and RMSNorm in fp32.
"""

import math
import pathlib
import sys

import torch
from torch import nn
from torch.export import Dim, export, save


class Linear(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_out, d_in) * (2 / (d_in + d_out)) ** 0.5)

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight)


class RMSNorm(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        dtype = x.dtype
        x = x.to(torch.float32)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        return (self.weight * x).to(dtype)


class Rope(nn.Module):
    def __init__(self, d_head, longest):
        super().__init__()
        frequencies = 10000.0 ** -(torch.arange(0, d_head, 2) / d_head)
        angles = torch.arange(longest)[:, None] * frequencies[None]
        self.register_buffer("table", torch.stack((torch.cos(angles), torch.sin(angles))),
                             persistent=False)

    def forward(self, x):
        length = x.size(-2)
        even, odd = x[..., 0::2], x[..., 1::2]
        cos, sin = self.table[0][:length], self.table[1][:length]
        return torch.stack((cos * even - sin * odd, sin * even + cos * odd), -1).flatten(-2)


class Attention(nn.Module):
    def __init__(self, d_model, heads, longest):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (Linear(d_model, d_model) for _ in range(4))
        self.rope = Rope(d_model // heads, longest)

    def forward(self, x):
        batch, length, d_model = x.shape
        d_head = d_model // self.heads
        q, k, v = (p(x).view(batch, length, self.heads, d_head).transpose(1, 2)
                   for p in (self.q, self.k, self.v))
        q, k = self.rope(q), self.rope(k)
        position = torch.arange(length, device=x.device)
        mask = position[:, None] >= position[None, :]
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(d_head)
        scores = torch.where(mask, scores, float("-inf"))
        e = torch.exp(scores - scores.max(-1, keepdim=True)[0])
        weights = e / e.sum(-1, keepdim=True)
        y = torch.einsum("bhqk,bhkd->bhqd", weights, v).transpose(1, 2).reshape(batch, length, d_model)
        return self.o(y)


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1, self.w2, self.w3 = Linear(d_model, d_ff), Linear(d_ff, d_model), Linear(d_model, d_ff)

    def forward(self, x):
        a = self.w1(x)
        return self.w2(a * torch.sigmoid(a) * self.w3(x))


class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, longest):
        super().__init__()
        self.norm1, self.attn = RMSNorm(d_model), Attention(d_model, heads, longest)
        self.norm2, self.ffn = RMSNorm(d_model), FeedForward(d_model, d_ff)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.ffn(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, vocab=50, d_model=32, heads=4, d_ff=64, layers=2, longest=64):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(vocab, d_model))
        self.layers = nn.ModuleList(Block(d_model, heads, d_ff, longest) for _ in range(layers))
        self.norm, self.head = RMSNorm(d_model), Linear(d_model, vocab)

    def forward(self, tokens):
        x = self.embedding[tokens]
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(24, 48), nn.Linear(48, 24)

    def forward(self, x):
        return self.down(torch.nn.functional.gelu(self.up(x)))


class Tied(nn.Module):
    """Tied weights, a part without gradients, sizes in arithmetic, a loss of its own."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(40, 16), nn.Linear(16, 40, bias=False)
        self.head.weight = self.embedding.weight
        self.norm = nn.LayerNorm(16)

    def forward(self, tokens):
        x = self.norm(self.embedding(tokens))
        with torch.no_grad():
            mean = x.mean(-1, keepdim=True)
        logits = self.head(x - mean) * (2.0 / (tokens.shape[1] + 1))
        return logits.square().mean()


class Masked(nn.Module):
    """PyTorch's own attention with a mask of truth values, then with numbers and a scale."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, 4, 8).permute(2, 0, 3, 1, 4)
        position = torch.arange(length, device=x.device)
        seen = (position[:, None] - position[None, :]).abs() < 5
        y = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=seen[None, None].expand(batch, 1, length, length))
        slope = -0.1 * (position[:, None] - position[None, :]).abs().to(x.dtype)
        y = torch.nn.functional.scaled_dot_product_attention(y, k, v, attn_mask=slope, scale=0.3)
        return self.out(y.transpose(1, 2).reshape(batch, length, 32))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.GroupNorm(4, 16), nn.SiLU(),
            nn.AdaptiveAvgPool2d(1))
        self.head = nn.Linear(16, 10)

    def forward(self, image):
        return self.head(self.body(image).flatten(1))


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 4, stride=4)
        self.first = nn.Parameter(torch.zeros(1, 1, 32))
        self.positions = nn.Parameter(torch.randn(1, 17, 32) * 0.02)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 10)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat((self.first.expand(x.shape[0], -1, -1), x), 1) + self.positions
        return self.head(self.layers(x)[:, 0])


class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(40, 16), nn.Linear(16, 40)
        self.cell = nn.GRUCell(16, 16)

    def forward(self, tokens):
        x = self.embedding(tokens)
        state = torch.zeros(x.shape[0], 16, dtype=x.dtype, device=x.device)
        states = []
        for step in range(6):
            state = self.cell(x[:, step], state)
            states.append(state)
        return self.head(torch.stack(states, 1))


def modules():
    """Name, module, example inputs, open dimensions."""
    b, t = Dim("B", min=1, max=64), Dim("T", min=2, max=64)
    tokens = torch.zeros(3, 16, dtype=torch.long)
    return [("mlp", Mlp(), (torch.zeros(3, 8, 24),), ({0: b, 1: t},)),
            ("transformer", Transformer(), (tokens,), ({0: b, 1: t},)),
            ("tied", Tied(), (tokens,), ({0: b, 1: t},)),
            ("masked", Masked(), (torch.zeros(3, 16, 32),), ({0: b, 1: t},)),
            ("cnn", Cnn(), (torch.zeros(3, 3, 16, 16),),
             ({0: b, 2: 2 * Dim("H", min=4, max=32), 3: 2 * Dim("W", min=4, max=32)},)),
            ("vit", Vit(), (torch.zeros(3, 3, 16, 16),), ({0: b},)),
            ("rnn", Rnn(), (torch.zeros(3, 6, dtype=torch.long),), ({0: b},))]


def write_all(folder, every):
    for name, module, inputs, dimensions in every:
        save(export(module, inputs, dynamic_shapes=dimensions), str(folder / f"{name}.pt2"))


if __name__ == "__main__":
    torch.manual_seed(1)
    write_all(pathlib.Path(sys.argv[1]), modules())
