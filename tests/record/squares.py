"""Attention as the assignment's text writes it, for own_file_test.py: every square has a name, which keeps it."""

import math

import torch


def softmax(x, dim):
    x = x - x.max(dim, keepdim=True).values
    exponentials = torch.exp(x)
    return exponentials / exponentials.sum(dim, keepdim=True)


def attention(q, k, v, mask):
    scores = torch.einsum("...nd,...md->...nm", q, k) / math.sqrt(q.shape[-1])
    scores = torch.where(mask, scores, float("-inf"))
    weights = softmax(scores, -1)
    return torch.einsum("...nm,...md->...nd", weights, v)


def build(B, T, device, heads: int = 1, d_head: int = 64, backward: bool = False):
    """Attention of given Q, K and V."""
    q, k, v = (torch.randn(B, heads, T, d_head, device=device, requires_grad=backward) for _ in range(3))
    mask = torch.ones(T, T, dtype=torch.bool, device=device).tril()

    def step():
        out = attention(q, k, v, mask)
        if backward:
            out.sum().backward()
            for tensor in (q, k, v):
                tensor.grad = None

    return step
