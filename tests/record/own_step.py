"""A workload as somebody might write it, for own_file_test.py: build() gives one step of training."""

from typing import Annotated, Literal

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.heads = heads

    def forward(self, x):
        batch, length, d_model = x.shape
        q, k, v = (self.qkv(self.norm(x)).view(batch, length, 3, self.heads, d_model // self.heads)
                   .permute(2, 0, 3, 1, 4))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(mixed.transpose(1, 2).reshape(batch, length, d_model))


class Words(nn.Module):
    def __init__(self, d_model, layers, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.blocks = nn.ModuleList(Block(d_model, 4) for _ in range(layers))
        self.head = nn.Linear(d_model, vocabulary)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(F.gelu(x))


class Pictures(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.head = nn.Linear(channels, 10)

    def forward(self, x):
        return self.head(F.max_pool2d(self.norm(self.conv(x)).relu(), 2).mean((2, 3)))


def build(B, T, device, layers: Annotated[int, range(1, 13)] = 2, kind: Literal["words", "pictures"] = "words",
          optimizer: Literal["adamw", "sgd"] = "adamw", amp: bool = False, clip: float = 0.0):
    """Trains a small net."""
    if kind == "words":
        model = Words(32, layers, 50).to(device)
        inputs = torch.randint(0, 50, (B, T), device=device)
        targets = torch.randint(0, 50, (B * T,), device=device)
    else:
        model = Pictures(16).to(device)
        inputs = torch.randn(B, 3, T, T, device=device)
        targets = torch.randint(0, 10, (B,), device=device)
    if optimizer == "adamw":
        update = torch.optim.AdamW(model.parameters())
    else:
        update = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step():
        update.zero_grad()
        with torch.autocast(device.type, torch.bfloat16, enabled=amp):
            loss = F.cross_entropy(model(inputs).flatten(0, -2).float(), targets)
        loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        update.step()

    return step
