"""Operators with each kind of gradient that a loss gives them: a file with build() for gradients_test.py.

A step runs the next case, twice, forward and backward: the leaves are made once. The gradient of a sum has stride 0 in
every dimension, that of a sum of rows in one, that of a mean and of cross entropy none.
"""

import typing

import torch
from torch.nn import functional as F

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp64": torch.float64}
LOSSES = {
    "sum": torch.sum,
    "mean": torch.mean,
    "rows": lambda out: out.sum(-1).mul(2).sum(),
    "columns": lambda out: out.sum(0).mul(2).sum(),
    "cross_entropy": lambda out: F.cross_entropy(
        out.reshape(-1, out.size(-1) if out.dim() else 1),
        torch.zeros(out.numel() // (out.size(-1) if out.dim() else 1), dtype=torch.long, device=out.device)),
}


def heads(x, count):
    return x.view(x.size(0), x.size(1), count, -1).transpose(1, 2)


def attention(q, k, v):
    mixed = F.scaled_dot_product_attention(heads(q, 3), heads(k, 3), heads(v, 3), is_causal=True)
    return mixed.transpose(1, 2).reshape(q.shape)


def tokens(w, *sizes):
    return torch.zeros(*sizes, dtype=torch.long, device=w.device)


def batch_norm(x, w=None, b=None):
    return F.batch_norm(x, None, None, w, b, training=True)


def beside(x):
    return x.to(memory_format=torch.channels_last)


ROWS, IMAGES, CHANNELS = (40, 30), (4, 6, 8, 8), ((6,), (6,))
OPERATORS = {
    # Products: of rows, of batches, and some that are a row, a column or too small for BLAS.
    "linear": (F.linear, ROWS, (20, 30), (20,)),
    "linear_no_bias": (F.linear, ROWS, (20, 30)),
    "linear_batched": (F.linear, (4, 10, 30), (20, 30), (20,)),
    "linear_batched_no_bias": (F.linear, (4, 10, 30), (20, 30)),
    "linear_one_output": (F.linear, ROWS, (1, 30), (1,)),
    "linear_one_row": (F.linear, (1, 30), (20, 30), (20,)),
    "linear_one_input": (F.linear, (40, 1), (20, 1), (20,)),
    "linear_vector": (F.linear, (30,), (20, 30), (20,)),
    "residual": (lambda x, w: x + F.linear(x, w), ROWS, (30, 30)),
    "turned": (lambda x, w: x.t() @ w, (30, 40), (30, 20)),
    "mm_small": (torch.mm, (3, 4), (4, 5)),
    "addmm": (torch.addmm, (40, 20), ROWS, (30, 20)),
    "mv": (torch.mv, ROWS, (30,)),
    "outer": (torch.outer, (40,), (30,)),
    "dot": (torch.dot, (40,), (40,)),
    "bmm": (torch.bmm, (6, 40, 30), (6, 30, 20)),
    "bmm_small": (torch.bmm, (6, 4, 3), (6, 3, 5)),
    "bmm_one": (torch.bmm, (1, 40, 30), (1, 30, 20)),
    "bmm_row": (torch.bmm, (6, 1, 30), (6, 30, 20)),
    "bmm_column": (torch.bmm, (6, 40, 30), (6, 30, 1)),
    "baddbmm": (torch.baddbmm, (6, 40, 20), (6, 40, 30), (6, 30, 20)),
    "matmul": (torch.matmul, (2, 3, 40, 30), (2, 3, 30, 20)),
    "matmul_broadcast": (torch.matmul, (2, 3, 40, 30), (30, 20)),
    "einsum": (lambda a, b: torch.einsum("bid,bjd->bij", a, b), (6, 40, 30), (6, 20, 30)),
    "einsum_heads": (lambda a, b: torch.einsum("bihd,bjhd->bhij", a, b), (6, 40, 3, 30), (6, 20, 3, 30)),
    "einsum_linear": (lambda a, w: torch.einsum("bid,od->bio", a, w), (6, 40, 30), (20, 30)),
    # Activations.
    "gelu": (F.gelu, ROWS),
    "gelu_batched": (F.gelu, (4, 10, 30)),
    "gelu_vector": (F.gelu, (30,)),
    "gelu_turned": (lambda x: F.gelu(x.t()), ROWS),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), ROWS),
    "silu": (F.silu, ROWS),
    "relu": (F.relu, ROWS),
    "sigmoid": (torch.sigmoid, ROWS),
    "tanh": (torch.tanh, ROWS),
    "leaky_relu": (F.leaky_relu, ROWS),
    "glu": (F.glu, ROWS),
    "mish": (F.mish, ROWS),
    "logsigmoid": (F.logsigmoid, ROWS),
    "prelu": (F.prelu, ROWS, (30,)),
    "softmax": (lambda x: x.softmax(-1), ROWS),
    "softmax_first": (lambda x: x.softmax(0), ROWS),
    "softmax_heads": (lambda x: x.softmax(-1), (2, 3, 40, 30)),
    "log_softmax": (lambda x: x.log_softmax(-1), ROWS),
    "log_softmax_first": (lambda x: x.log_softmax(0), ROWS),
    # Norms.
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (30,), w, b), ROWS, (30,), (30,)),
    "layer_norm_plain": (lambda x: F.layer_norm(x, (30,)), ROWS),
    "rms_norm": (lambda x, w: F.rms_norm(x, (30,), w), ROWS, (30,)),
    "batch_norm": (batch_norm, IMAGES, *CHANNELS),
    "batch_norm_plain": (batch_norm, IMAGES),
    "batch_norm_rows": (batch_norm, ROWS, (30,), (30,)),
    "batch_norm_lines": (batch_norm, (4, 6, 9), *CHANNELS),
    "batch_norm_beside": (lambda x, w, b: batch_norm(beside(x), w, b), IMAGES, *CHANNELS),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), IMAGES, *CHANNELS),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, None, None, w, b), IMAGES, *CHANNELS),
    # Images.
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, padding=1), IMAGES, (8, 6, 3, 3), (8,)),
    "conv2d_no_bias": (F.conv2d, IMAGES, (8, 6, 3, 3)),
    "conv2d_patches": (lambda x, w, b: F.conv2d(x, w, b, stride=4), (8, 3, 32, 32), (32, 3, 4, 4), (32,)),
    "conv2d_depthwise": (lambda x, w, b: F.conv2d(x, w, b, padding=1, groups=16), (8, 16, 32, 32), (16, 1, 3, 3),
                         (16,)),
    "conv2d_beside": (lambda x, w, b: F.conv2d(beside(x), w, b, padding=1), (8, 16, 32, 32), (32, 16, 3, 3), (32,)),
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, padding=1), (4, 6, 80), (8, 6, 3), (8,)),
    "conv_transpose2d": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2), IMAGES, (6, 8, 2, 2), (8,)),
    "max_pool": (lambda x: F.max_pool2d(x, 2), IMAGES),
    "max_pool_beside": (lambda x: F.max_pool2d(beside(x), 2), IMAGES),
    "max_pool_lines": (lambda x: F.max_pool1d(x, 2), (4, 6, 8)),
    "avg_pool": (lambda x: F.avg_pool2d(x, 2), IMAGES),
    "avg_pool_beside": (lambda x: F.avg_pool2d(beside(x), 2), IMAGES),
    "avg_pool_lines": (lambda x: F.avg_pool1d(x, 2), (4, 6, 8)),
    "adaptive_avg_pool": (lambda x: F.adaptive_avg_pool2d(x, 2), IMAGES),
    "adaptive_avg_pool_one": (lambda x: F.adaptive_avg_pool2d(x, 1), IMAGES),
    "adaptive_avg_pool_beside": (lambda x: F.adaptive_avg_pool2d(beside(x), 2), IMAGES),
    "adaptive_max_pool": (lambda x: F.adaptive_max_pool2d(x, 2), IMAGES),
    "nearest": (lambda x: F.interpolate(x, scale_factor=2), IMAGES),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), IMAGES),
    # Tables, dropout, attention.
    "embedding": (lambda w: F.embedding(tokens(w, 40), w), (50, 30)),
    "embedding_batched": (lambda w: F.embedding(tokens(w, 4, 10), w), (50, 30)),
    "bag_sum": (lambda w: F.embedding_bag(tokens(w, 4, 10), w, mode="sum"), (50, 30)),
    "bag_mean": (lambda w: F.embedding_bag(tokens(w, 4, 10), w), (50, 30)),
    "bag_offsets": (lambda w: F.embedding_bag(tokens(w, 40), w, torch.arange(0, 40, 10, device=w.device)), (50, 30)),
    "dropout": (lambda x: F.dropout(x, 0.1), ROWS),
    "attention": (attention, *[(2, 40, 48)] * 3),
    "attention_heads": (F.scaled_dot_product_attention, *[(2, 3, 40, 16)] * 3),
    # Reductions, comparisons, and what only moves numbers.
    "logsumexp": (lambda x: x.logsumexp(-1), ROWS),
    "logsumexp_kept": (lambda x: x.logsumexp(0, keepdim=True), ROWS),
    "logsumexp_two": (lambda x: x.logsumexp((0, 2)), (4, 10, 30)),
    "std": (lambda x: x.std(-1), ROWS),
    "std_all": (torch.std, ROWS),
    "var": (lambda x: x.var(0, keepdim=True, unbiased=False), ROWS),
    "var_mean": (lambda x: sum(torch.var_mean(x, -1)), ROWS),
    "norm": (lambda x: x.norm(dim=-1), ROWS),
    "clamp": (lambda x: x.clamp(0.5, 1.5), ROWS),
    "clamp_from": (lambda x: x.clamp(min=0.5), ROWS),
    "where": (lambda x: torch.where(x > 0, x, 0.0), ROWS),
    "masked_fill": (lambda x: x.masked_fill(x == 0, 1.0), ROWS),
    "between": (lambda x: x * torch.logical_and(x > 0, x < 2), ROWS),
    "compared": (lambda x, y: x * (x >= y), ROWS, ROWS),
    "cumsum": (lambda x: x.cumsum(-1), ROWS),
    "sort": (lambda x: x.sort(-1)[0], ROWS),
    "sort_first": (lambda x: x.sort(0, descending=True)[0], ROWS),
    "sort_stable": (lambda x: x.sort(dim=-1, stable=True)[0], ROWS),
    "argsort": (lambda x: x * x.argsort(-1), ROWS),
    "topk": (lambda x: x.topk(3)[0], ROWS),
    "flip": (lambda x: x.flip(0, 1), ROWS),
    "roll": (lambda x: x.roll(3, -1), ROWS),
    "roll_windows": (lambda x: x.roll((-2, -2), (1, 2)), (4, 8, 8, 6)),
    "roll_flat": (lambda x: x.roll(3), ROWS),
    "unfold": (lambda x: x.unfold(-1, 4, 2), ROWS),
    "unfold_images": (lambda x: F.unfold(x, 3), IMAGES),
    "fold_images": (lambda x: F.fold(x, (8, 8), 2, stride=2), (4, 24, 16)),
    "unfold_apart": (lambda x: x.unfold(-1, 3, 3), ROWS),
    "pad": (lambda x: F.pad(x, (1, 2)), ROWS),
    "pad_cut": (lambda x: F.pad(x, (-1, 2)), ROWS),
    "pad_images": (lambda x: F.pad(x, (1, 1, 1, 1)), IMAGES),
    "pad_reflect": (lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), IMAGES),
    "pad_reflect_lines": (lambda x: F.pad(x, (1, 1), mode="reflect"), (4, 6, 8)),
    "pad_replicate": (lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), IMAGES),
    "pad_replicate_lines": (lambda x: F.pad(x, (1, 1), mode="replicate"), (4, 6, 8)),
    "cat": (lambda a, b: torch.cat([a, b]), ROWS, (20, 30)),
    "slice": (lambda x: x[:, 3:9], ROWS),
    "index_select": (lambda x: x.index_select(0, tokens(x, 7)), ROWS),
    "gather": (lambda x: x.gather(1, tokens(x, 40, 1)), ROWS),
    "permute": (lambda x: x.permute(2, 0, 1).reshape(30, 40), (4, 10, 30)),
    "multiplied": (lambda x, w: x * w, ROWS, (30,)),
    "weights": (lambda w: w, ROWS),
}


def build(device, loss: typing.Literal[tuple(LOSSES)], kind: typing.Literal[tuple(TYPES)],
          cases: str = " ".join(OPERATORS)):
    names = cases.split()
    leaves = {name: [torch.ones(*sizes, device=device, dtype=TYPES[kind]).requires_grad_() for sizes in OPERATORS[name][1:]]
              for name in names}
    rest = iter(names)

    def step():
        name = next(rest)
        for _ in range(2):
            for leaf in leaves[name]:
                leaf.grad = None
            LOSSES[loss](OPERATORS[name][0](*leaves[name])).backward()

    return step
