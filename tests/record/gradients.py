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


def state(x, directions):
    return torch.zeros(directions, x.size(1), 8, device=x.device, dtype=x.dtype)


def lstm(x, *weights, both=False):
    states = state(x, 1 + both), state(x, 1 + both)
    return torch.lstm(x, states, weights, True, 1, 0.0, True, both, False)[0]


def recurrent(layer, x, *weights, both=False):
    return layer(x, state(x, 1 + both), weights, True, 1, 0.0, True, both, False)[0]


# More operators, each in one size.
VOLUMES = (2, 4, 6, 6, 6)
MORE = {
    "gru_both": (
        lambda x, *w: recurrent(torch.gru, x, *w, both=True),
        (5, 3, 6),
        (24, 6),
        (24, 8),
        (24,),
        (24,),
        (24, 6),
        (24, 8),
        (24,),
        (24,),
    ),
    "lstm_both": (
        lambda x, *w: lstm(x, *w, both=True),
        (5, 3, 6),
        (32, 6),
        (32, 8),
        (32,),
        (32,),
        (32, 6),
        (32, 8),
        (32,),
        (32,),
    ),
    "cumprod": (lambda x: x.cumprod(-1), ROWS),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), (4, 8, 8, 8)),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2), IMAGES),
    "one_hot": (lambda x: x @ F.one_hot(tokens(x, 30), 6).to(x.dtype), ROWS),
    "bce_logits": (lambda x: F.binary_cross_entropy_with_logits(x, torch.ones_like(x)), ROWS),
    "bce_logits_w": (
        lambda x: F.binary_cross_entropy_with_logits(
            x, torch.ones_like(x), pos_weight=torch.ones(30, device=x.device, dtype=x.dtype)
        ),
        ROWS,
    ),
    "bce": (lambda x: F.binary_cross_entropy(x.sigmoid(), torch.ones_like(x)), ROWS),
    "smooth_l1": (lambda x: F.smooth_l1_loss(x, torch.zeros_like(x)), ROWS),
    "huber": (lambda x: F.huber_loss(x, torch.zeros_like(x)), ROWS),
    "l1": (lambda x: F.l1_loss(x, torch.zeros_like(x)), ROWS),
    "mse": (lambda x: F.mse_loss(x, torch.zeros_like(x)), ROWS),
    "nan_to_num": (torch.nan_to_num, ROWS),
    "median_dim": (lambda x: x.median(-1)[0], ROWS),
    "kthvalue": (lambda x: x.kthvalue(3)[0], ROWS),
    "cdist": (torch.cdist, (40, 30), (20, 30)),
    "cdist_b": (torch.cdist, (2, 40, 30), (2, 20, 30)),
    "bucketize": (lambda x: x * torch.bucketize(x, torch.arange(5, device=x.device, dtype=x.dtype)), ROWS),
    "searchsorted": (lambda x: x * torch.searchsorted(torch.arange(5, device=x.device, dtype=x.dtype), x), ROWS),
    "grid_sample": (lambda x, g: F.grid_sample(x, g, align_corners=False), IMAGES, (4, 5, 5, 2)),
    "affine_grid": (lambda t: F.affine_grid(t, [4, 6, 8, 8], align_corners=False), (4, 2, 3)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), VOLUMES),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2), VOLUMES),
    "conv3d": (lambda x, w, b: F.conv3d(x, w, b), VOLUMES, (8, 4, 3, 3, 3), (8,)),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 2), VOLUMES),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 2), (4, 6, 8)),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 2), (4, 6, 8)),
    "rfft": (lambda x: torch.fft.rfft(x).abs(), ROWS),
    "fft_fft": (lambda x: torch.fft.fft(x).real, ROWS),
    "lstm": (lstm, (5, 3, 6), (32, 6), (32, 8), (32,), (32,)),
    "gru": (lambda x, *w: recurrent(torch.gru, x, *w), (5, 3, 6), (24, 6), (24, 8), (24,), (24,)),
    "rnn": (lambda x, *w: recurrent(torch.rnn_tanh, x, *w), (5, 3, 6), (8, 6), (8, 8), (8,), (8,)),
    "softplus": (F.softplus, ROWS),
    "elu": (F.elu, ROWS),
    "selu": (F.selu, ROWS),
    "celu": (F.celu, ROWS),
    "hardsigmoid": (F.hardsigmoid, ROWS),
    "hardswish": (F.hardswish, ROWS),
    "softshrink": (F.softshrink, ROWS),
    "hardshrink": (F.hardshrink, ROWS),
    "threshold": (lambda x: F.threshold(x, 0.1, 0.0), ROWS),
    "relu6": (F.relu6, ROWS),
    "softsign": (F.softsign, ROWS),
    "tanhshrink": (F.tanhshrink, ROWS),
    "gumbel": (lambda x: F.gumbel_softmax(x), ROWS),
    "log1p": (torch.log1p, ROWS),
    "expm1": (torch.expm1, ROWS),
    "erf": (torch.erf, ROWS),
    "exp": (torch.exp, ROWS),
    "log": (torch.log, ROWS),
    "sqrt": (torch.sqrt, ROWS),
    "rsqrt": (torch.rsqrt, ROWS),
    "sin": (torch.sin, ROWS),
    "pow2": (lambda x: x**2, ROWS),
    "pow3": (lambda x: x**3, ROWS),
    "pow_t": (torch.pow, ROWS, ROWS),
    "reciprocal": (torch.reciprocal, ROWS),
    "abs": (torch.abs, ROWS),
    "sign": (torch.sign, ROWS),
    "remainder": (lambda x: x.remainder(0.3), ROWS),
    "fmod": (lambda x: x.fmod(0.3), ROWS),
    "floor": (torch.floor, ROWS),
    "round": (torch.round, ROWS),
    "lerp": (lambda a, b: torch.lerp(a, b, 0.3), ROWS, ROWS),
    "lerp_t": (torch.lerp, ROWS, ROWS, ROWS),
    "addcmul": (torch.addcmul, ROWS, ROWS, ROWS),
    "addcdiv": (torch.addcdiv, ROWS, ROWS, ROWS),
    "div": (torch.div, ROWS, (30,)),
    "sub": (torch.sub, ROWS, (30,)),
    "rsub": (lambda x: 1 - x, ROWS),
    "minimum": (torch.minimum, ROWS, ROWS),
    "maximum": (torch.maximum, ROWS, ROWS),
    "amax": (lambda x: x.amax(-1), ROWS),
    "amin": (lambda x: x.amin((0, 1)), ROWS),
    "max_dim": (lambda x: x.max(-1)[0], ROWS),
    "min_dim": (lambda x: x.min(0)[0], ROWS),
    "argmax": (lambda x: x * x.argmax(-1, keepdim=True), ROWS),
    "any": (lambda x: x * (x > 0).any(-1, keepdim=True), ROWS),
    "all": (lambda x: x * (x > 0).all(), ROWS),
    "mean_dim": (lambda x: x.mean(0), ROWS),
    "sum_dim": (lambda x: x.sum(1, keepdim=True), ROWS),
    "nansum": (torch.nansum, ROWS),
    "norm_p1": (lambda x: x.norm(p=1, dim=-1), ROWS),
    "norm_fro": (torch.norm, ROWS),
    "vector_norm": (lambda x: torch.linalg.vector_norm(x, dim=-1), ROWS),
    "tril": (torch.tril, ROWS),
    "triu": (torch.triu, ROWS),
    "diagonal": (torch.diagonal, ROWS),
    "diag_embed": (torch.diag_embed, (4, 5)),
    "kron": (torch.kron, (4, 5), (3, 2)),
    "cross": (lambda a, b: torch.linalg.cross(a, b), (40, 3), (40, 3)),
    "scatter": (lambda x, s: x.scatter(1, tokens(x, 40, 2), s), ROWS, (40, 2)),
    "scatter_add": (lambda x, s: x.scatter_add(1, tokens(x, 40, 2), s), ROWS, (40, 2)),
    "index_add": (lambda x, s: x.index_add(0, tokens(x, 7), s), ROWS, (7, 30)),
    "index_put": (lambda x, s: x.index_put((tokens(x, 7),), s), ROWS, (7, 30)),
    "index": (lambda x: x[tokens(x, 7)], ROWS),
    "index2": (lambda x: x[tokens(x, 7), tokens(x, 7)], ROWS),
    "take_along": (lambda x: x.take_along_dim(tokens(x, 40, 2), 1), ROWS),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, 0), ROWS),
    "repeat": (lambda x: x.repeat(2, 1), ROWS),
    "expand": (lambda x: x.expand(3, 40, 30) * 2, ROWS),
    "stack": (lambda a, b: torch.stack([a, b]), ROWS, ROWS),
    "split": (lambda x: torch.cat(x.split(10)[::-1]), ROWS),
    "chunk": (lambda x: x.chunk(3, -1)[1], ROWS),
    "unbind": (lambda x: x.unbind(0)[3], ROWS),
    "select": (lambda x: x[3], ROWS),
    "slice_step": (lambda x: x[::2], ROWS),
    "transpose": (lambda x: x.t().contiguous(), ROWS),
    "clone": (torch.clone, ROWS),
    "rot90": (torch.rot90, ROWS),
    "scatter_reduce": (lambda x, s: x.scatter_reduce(1, tokens(x, 40, 2), s, "sum"), ROWS, (40, 2)),
    "index_copy": (lambda x, s: x.index_copy(0, torch.arange(7, device=x.device), s), ROWS, (7, 30)),
    "index_fill": (lambda x: x.index_fill(0, tokens(x, 7), 1.0), ROWS),
    "tensordot": (lambda a, b: torch.tensordot(a, b, 1), ROWS, (30, 20)),
    "bilinear_layer": (F.bilinear, (40, 3), (40, 4), (5, 3, 4), (5,)),
    "chain": (lambda a, b, c: torch.linalg.multi_dot([a, b, c]), ROWS, (30, 20), (20, 10)),
    "einsum3": (lambda a, b: torch.einsum("ij,kj->ik", a, b), ROWS, (20, 30)),
    "baddbmm0": (lambda a, b, c: torch.baddbmm(a, b, c, beta=0.5), (2, 4, 5), (2, 4, 3), (2, 3, 5)),
    "addmv": (torch.addmv, (40,), ROWS, (30,)),
    "addr": (torch.addr, ROWS, (40,), (30,)),
    "nll": (lambda x: F.nll_loss(x.log_softmax(-1), tokens(x, 40)), ROWS),
    "ce": (lambda x: F.cross_entropy(x, tokens(x, 40)), ROWS),
    "ce_smooth": (lambda x: F.cross_entropy(x, tokens(x, 40), label_smoothing=0.1), ROWS),
    "ce_w": (lambda x: F.cross_entropy(x, tokens(x, 40), weight=torch.ones(30, device=x.device, dtype=x.dtype)), ROWS),
    "ce_none": (lambda x: F.cross_entropy(x, tokens(x, 40), reduction="none"), ROWS),
    "ce_prob": (lambda x: F.cross_entropy(x, x.detach().softmax(-1)), ROWS),
    "ce_2d": (lambda x: F.cross_entropy(x, tokens(x, 4, 8, 8)), IMAGES),
    "kl": (lambda x: F.kl_div(x.log_softmax(-1), torch.ones_like(x)), ROWS),
    "cos_sim": (lambda a, b: F.cosine_similarity(a, b), ROWS, ROWS),
    "normalize": (F.normalize, ROWS),
    "pairwise": (F.pairwise_distance, ROWS, ROWS),
    "triplet": (F.triplet_margin_loss, ROWS, ROWS, ROWS),
    "hinge": (lambda x: F.hinge_embedding_loss(x, torch.ones_like(x)), ROWS),
    "margin": (lambda a, b: F.margin_ranking_loss(a, b, torch.ones_like(a)), (40,), (40,)),
    "poisson": (lambda x: F.poisson_nll_loss(x, torch.ones_like(x)), ROWS),
    "alpha_dropout": (lambda x: F.alpha_dropout(x, 0.1, True), ROWS),
    "dropout2d": (lambda x: F.dropout2d(x, 0.1), IMAGES),
    "lrn": (lambda x: F.local_response_norm(x, 2), IMAGES),
    "bicubic": (lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), IMAGES),
    "trilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), VOLUMES),
    "area": (lambda x: F.interpolate(x, size=(4, 4), mode="area"), IMAGES),
    "linear_up": (lambda x: F.interpolate(x, scale_factor=2, mode="linear"), (4, 6, 8)),
    "nearest1d": (lambda x: F.interpolate(x, scale_factor=2), (4, 6, 8)),
    "nearest3d": (lambda x: F.interpolate(x, scale_factor=2), VOLUMES),
    "nearest_exact": (lambda x: F.interpolate(x, scale_factor=2, mode="nearest-exact"), IMAGES),
    "pad_circular": (lambda x: F.pad(x, (1, 1, 1, 1), mode="circular"), IMAGES),
    "pad_3d": (lambda x: F.pad(x, (1, 1, 1, 1, 1, 1), mode="replicate"), VOLUMES),
    "conv_t1d": (lambda x, w: F.conv_transpose1d(x, w), (4, 6, 8), (6, 8, 3)),
    "conv_t3d": (lambda x, w: F.conv_transpose3d(x, w), VOLUMES, (4, 8, 3, 3, 3)),
    "lp_pool": (lambda x: F.lp_pool2d(x, 2, 2), IMAGES),
    "batch_norm3d": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), VOLUMES, (4,), (4,)),
    "embedding_pad": (lambda w: F.embedding(tokens(w, 40), w, padding_idx=0), (50, 30)),
    "dropout_eval": (lambda x: F.dropout(x, 0.1, False) * 1, ROWS),
    "std_mean": (lambda x: sum(torch.std_mean(x, -1)), ROWS),
    "softmin": (lambda x: F.softmin(x, -1), ROWS),
    "glu0": (lambda x: F.glu(x, 0), ROWS),
    "swiglu": (lambda x: F.silu(x[:, :15]) * x[:, 15:], ROWS),
    "rope": (
        lambda x: torch.view_as_real(
            torch.view_as_complex(x.float().reshape(40, 15, 2))
            * torch.polar(torch.ones(40, 15, device=x.device), torch.ones(40, 15, device=x.device))
        ).flatten(1),
        ROWS,
    ),
    "tri_mask": (lambda x: x.masked_fill(torch.ones(40, 30, device=x.device).tril() == 0, 0.0), ROWS),
    "linspace": (lambda x: x * torch.linspace(0, 1, 30, device=x.device), ROWS),
    "randn_like": (lambda x: x + torch.randn_like(x), ROWS),
    "bernoulli": (lambda x: x * torch.bernoulli(torch.full_like(x, 0.5)), ROWS),
    "rand": (lambda x: x + torch.rand(40, 30, device=x.device), ROWS),
    "eye": (lambda x: x @ torch.eye(30, device=x.device, dtype=x.dtype), ROWS),
    "group_norm1": (lambda x: F.group_norm(x, 1), IMAGES),
    "baddbmm_bias": (lambda x, w, b: torch.baddbmm(b, x, w), (2, 4, 5), (2, 5, 6), (2, 1, 6)),
    "mha": (
        lambda x, wi, bi, wo, bo: F.multi_head_attention_forward(
            x, x, x, 30, 3, wi, bi, None, None, False, 0.0, wo, bo
        )[0],
        (40, 2, 30),
        (90, 30),
        (90,),
        (30, 30),
        (30,),
    ),
    "logaddexp": (torch.logaddexp, ROWS, ROWS),
    "hypot": (torch.hypot, ROWS, ROWS),
    "xlogy": (torch.xlogy, ROWS, ROWS),
    "sinc": (torch.sinc, ROWS),
    "digamma": (torch.digamma, ROWS),
    "lgamma": (torch.lgamma, ROWS),
    "erfinv": (lambda x: torch.erfinv(x * 0.5), ROWS),
    "logit": (lambda x: torch.logit(x * 0.5), ROWS),
    "isnan": (lambda x: x * x.isnan(), ROWS),
    "isfinite": (lambda x: x * x.isfinite(), ROWS),
    "allclose_mask": (lambda x: x * torch.isclose(x, x), ROWS),
    "mode": (lambda x: x.mode(-1)[0], ROWS),
    "diff": (lambda x: x.diff(), ROWS),
    "trapz": (torch.trapezoid, ROWS),
    "dist": (torch.dist, ROWS, ROWS),
}
# Without a prediction: their blocks are not known.
UNKNOWN = {
    "amax_all": (torch.max, ROWS),
    "atan2": (torch.atan2, ROWS, ROWS),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 2), IMAGES),
    "histc": (lambda x: x * torch.histc(x.detach(), 30), ROWS),
    "irfft": (lambda x: torch.fft.irfft(torch.fft.rfft(x)), ROWS),
    "quantile": (lambda x: torch.quantile(x, 0.5, dim=-1), ROWS),
    "prod": (torch.prod, ROWS),
    "qr": (lambda x: torch.linalg.qr(x)[0], (6, 4)),
    "multinomial": (lambda x: x * torch.multinomial(x.detach().softmax(-1), 30), ROWS),
}
ALL = {**OPERATORS, **MORE, **UNKNOWN}


def build(device, loss: typing.Literal[tuple(LOSSES)], kind: typing.Literal[tuple(TYPES)],
          cases: str = " ".join(OPERATORS)):
    names = cases.split()
    leaves = {name: [torch.ones(*sizes, device=device, dtype=TYPES[kind]).requires_grad_() for sizes in ALL[name][1:]]
              for name in names}
    rest = iter(names)

    def step():
        name = next(rest)
        for _ in range(2):
            for leaf in leaves[name]:
                leaf.grad = None
            LOSSES[loss](ALL[name][0](*leaves[name])).backward()

    return step
