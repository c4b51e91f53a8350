"""A training loop as the first assignment of CS336 has it written: the Transformer of own_models.py
(einsum, softmax by hand, a mask a layer, RoPE and RMSNorm in fp32), its own cross entropy's stand-in
and its own AdamW. cs336.py [STEPS]: nothing here knows that it is recorded.
"""

import math
import sys

import torch
from own_models import Transformer

BATCH, LENGTH, VOCABULARY = 3, 16, 50


class AdamW(torch.optim.Optimizer):
    def __init__(self, parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "decay": weight_decay})

    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state, gradient = self.state[p], p.grad.data
                t = state.get("t", 1)
                m = state.get("m", torch.zeros_like(gradient))
                v = state.get("v", torch.zeros_like(gradient))
                m = first * m + (1 - first) * gradient
                v = second * v + (1 - second) * gradient ** 2
                rate = group["lr"] * math.sqrt(1 - second ** t) / (1 - first ** t)
                p.data -= rate * m / (torch.sqrt(v) + group["eps"])
                p.data -= group["lr"] * group["decay"] * p.data
                state["t"], state["m"], state["v"] = t + 1, m, v


def train(steps):
    torch.manual_seed(1)
    model = Transformer()
    optimizer = AdamW(model.parameters())
    tokens = torch.zeros(BATCH, LENGTH, dtype=torch.long)
    targets = torch.zeros(BATCH * LENGTH, dtype=torch.long)
    for _ in range(steps):
        with torch.profiler.record_function("one step"):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(tokens).reshape(-1, VOCABULARY), targets)
            loss.backward()
            optimizer.step()
            del loss


if __name__ == "__main__":
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
