"""Operators whose allocations on a GPU tests/gpu/run compares with the dry run's: build() of a case by its name.

A case is the words of its name: operator, type, sizes. Each function below gives the step that runs it.
"""

import torch
from torch.nn import functional as F

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


class Maker:
    def __init__(self, device, kind):
        self.device, self.dtype = device, TYPES[kind]

    def leaf(self, *sizes):
        return torch.randn(*sizes, device=self.device, dtype=self.dtype).requires_grad_()

    def plain(self, *sizes, dtype=None):
        return torch.ones(*sizes, device=self.device, dtype=dtype or self.dtype)

    def tokens(self, *sizes):
        return torch.zeros(*sizes, device=self.device, dtype=torch.long)


def trained(run, *leaves):
    """Runs forward and backward with a dense gradient that is made before."""
    d_out = torch.ones_like(run(*leaves).detach())

    def step():
        torch.autograd.grad(run(*leaves), leaves, d_out)

    return step


def linear(make, rows, inputs, outputs):
    return trained(F.linear, make.leaf(rows, inputs), make.leaf(outputs, inputs), make.leaf(outputs))


def linear_no_bias(make, rows, inputs, outputs):
    return trained(F.linear, make.leaf(rows, inputs), make.leaf(outputs, inputs))


def linear_batched(make, batch, length, inputs, outputs):
    return trained(F.linear, make.leaf(batch, length, inputs), make.leaf(outputs, inputs), make.leaf(outputs))


def matmul(make, batch, length, width):
    return trained(torch.matmul, make.leaf(batch, length, width), make.leaf(batch, width, length))


def sum_rows(make, rows, width):
    x = make.plain(rows, width)
    return lambda: x.sum(0, keepdim=True)


def sum_columns(make, rows, width):
    x = make.plain(rows, width)
    return lambda: x.sum(1)


def sum_all(make, *sizes):
    x = make.plain(*sizes)
    return lambda: x.sum()


def mean_columns(make, rows, width):
    x = make.plain(rows, width)
    return lambda: x.mean(1, keepdim=True)


def mean_all(make, *sizes):
    x = make.plain(*sizes)
    return lambda: x.mean()


def sum_batch(make, batch, length, width):
    x = make.plain(batch, length, width)
    return lambda: x.sum((0, 1))


def sum_heads(make, batch, heads, length, width):
    x = make.plain(batch, heads, length, width)
    return lambda: x.sum(1, keepdim=True)


def sum_pixels(make, batch, channels, height, width):
    x = make.plain(batch, channels, height, width)
    return lambda: x.sum((0, 2, 3))


def amax(make, rows, width):
    x = make.plain(rows, width)
    return lambda: x.amax(1)


def argmax(make, rows, width):
    x = make.plain(rows, width)
    return lambda: x.argmax(1)


def vector_norm(make, numbers):
    x = make.plain(numbers)
    return lambda: torch.linalg.vector_norm(x)


def foreach_norm(make, count, numbers):
    xs = [make.plain(numbers) for _ in range(count)]
    return lambda: torch._foreach_norm(xs)


def clip(make, count, numbers):
    xs = [make.leaf(numbers) for _ in range(count)]
    for x in xs:
        x.grad = torch.ones_like(x)
    return lambda: torch.nn.utils.clip_grad_norm_(xs, 1.0)


def softmax(make, *sizes):
    return trained(lambda x: x.softmax(-1), make.leaf(*sizes))


def softmax_fp32(make, *sizes):
    return trained(lambda x: x.softmax(-1, dtype=torch.float32), make.leaf(*sizes))


def log_softmax(make, *sizes):
    return trained(lambda x: x.log_softmax(-1), make.leaf(*sizes))


def cross_entropy(make, rows, classes):
    x, targets = make.leaf(rows, classes), make.tokens(rows)
    return lambda: torch.autograd.grad(F.cross_entropy(x, targets), x)


def layer_norm(make, rows, width):
    return trained(lambda x, w, b: F.layer_norm(x, (width,), w, b), make.leaf(rows, width), make.leaf(width),
                   make.leaf(width))


def rms_norm(make, rows, width):
    return trained(lambda x, w: F.rms_norm(x, (width,), w), make.leaf(rows, width), make.leaf(width))


def embedding(make, tokens, vocabulary, width):
    table, of = make.leaf(vocabulary, width), make.tokens(tokens)
    return trained(lambda w: F.embedding(of, w), table)


def index_select(make, rows, width, chosen):
    of = make.tokens(chosen)
    return trained(lambda x: x.index_select(0, of), make.leaf(rows, width))


def gather(make, rows, width):
    of = make.tokens(rows, 1)
    return trained(lambda x: x.gather(1, of), make.leaf(rows, width))


def index(make, rows, width, chosen):
    of = make.tokens(chosen)
    return trained(lambda x: x[of], make.leaf(rows, width))


def topk(make, rows, width, count):
    return trained(lambda x: x.topk(count, -1)[0], make.leaf(rows, width))


def sort(make, rows, width):
    x = make.plain(rows, width)
    return lambda: x.sort(-1)


def multinomial(make, rows, width):
    x = make.plain(rows, width)
    return lambda: torch.multinomial(x, 1)


def cumsum(make, rows, width):
    x = make.plain(rows, width)
    return lambda: x.cumsum(-1)


def dropout(make, rows, width):
    return trained(lambda x: F.dropout(x, 0.1), make.leaf(rows, width))


def attention(backend, causal):
    def build(make, batch, heads, length, width):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        kind = getattr(SDPBackend, backend)
        leaves = [make.leaf(batch, heads, length, width) for _ in range(3)]

        def run(q, k, v):
            with sdpa_kernel(kind):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

        return trained(run, *leaves)
    return build


def attention_transposed(backend):
    """As in a model: heads cut out of rows, and their result joined again."""
    def build(make, batch, heads, length, width):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        kind = getattr(SDPBackend, backend)
        leaves = [make.leaf(batch, length, heads * width) for _ in range(3)]

        def run(*qkv):
            q, k, v = (x.view(batch, length, heads, width).transpose(1, 2) for x in qkv)
            with sdpa_kernel(kind):
                mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return mixed.transpose(1, 2).reshape(batch, length, heads * width)

        return trained(run, *leaves)
    return build


def conv2d(make, batch, channels, outputs, size, kernel):
    return trained(lambda x, w, b: F.conv2d(x, w, b, padding=kernel // 2), make.leaf(batch, channels, size, size),
                   make.leaf(outputs, channels, kernel, kernel), make.leaf(outputs))


def patches(make, batch, size, patch, width):
    return trained(lambda x, w, b: F.conv2d(x, w, b, stride=patch), make.leaf(batch, 3, size, size),
                   make.leaf(width, 3, patch, patch), make.leaf(width))


def batch_norm(make, batch, channels, size):
    mean, variance = make.plain(channels, dtype=torch.float32), make.plain(channels, dtype=torch.float32)
    return trained(lambda x, w, b: F.batch_norm(x, mean, variance, w, b, training=True),
                   make.leaf(batch, channels, size, size), make.leaf(channels), make.leaf(channels))


def max_pool(make, batch, channels, size):
    return trained(lambda x: F.max_pool2d(x, 2), make.leaf(batch, channels, size, size))


def gelu(make, rows, width):
    return trained(F.gelu, make.leaf(rows, width))


def group_norm(make, batch, channels, size):
    return trained(lambda x, w, b: F.group_norm(x, 4, w, b), make.leaf(batch, channels, size, size),
                   make.leaf(channels), make.leaf(channels))


def optimizer(kind, **settings):
    def build(make, count, numbers):
        leaves = [make.leaf(numbers) for _ in range(count)]
        for leaf in leaves:
            leaf.grad = torch.ones_like(leaf)
        return getattr(torch.optim, kind)(leaves, lr=0.1, **settings).step
    return build


def lstm(make, batch, length, width):
    net = torch.nn.LSTM(width, width, batch_first=True, device=make.device, dtype=make.dtype)
    x = make.leaf(batch, length, width)
    return lambda: net(x)[0].sum().backward()


OPERATORS = {function.__name__: function for function in (
    linear, linear_no_bias, linear_batched, matmul, sum_rows, sum_columns, sum_all, mean_columns, mean_all, sum_batch,
    sum_heads, sum_pixels, amax, argmax, vector_norm, foreach_norm, clip, softmax, softmax_fp32, log_softmax,
    cross_entropy, layer_norm, rms_norm, embedding, index_select, gather, index, topk, sort, multinomial, cumsum,
    dropout, conv2d, patches, batch_norm, max_pool, gelu, group_norm, lstm)}
for _name, _backend in (("flash", "FLASH_ATTENTION"), ("efficient", "EFFICIENT_ATTENTION"),
                        ("cudnn", "CUDNN_ATTENTION"), ("math", "MATH")):
    OPERATORS[_name] = attention(_backend, False)
    OPERATORS[_name + "_causal"] = attention(_backend, True)
    OPERATORS[_name + "_model"] = attention_transposed(_backend)
OPERATORS.update(adamw=optimizer("AdamW"), adamw_fused=optimizer("AdamW", fused=True),
                 adamw_single=optimizer("AdamW", foreach=False), sgd=optimizer("SGD", momentum=0.9))

_ALL, _HALF = ("fp32", "bf16"), ("bf16",)
CASES = [f"{name} {kind} {sizes}" for names, kinds, many in [
    ("linear linear_no_bias", (*_ALL, "fp16"), ["4096 768 3072", "512 64 64", "4096 1024 1000", "100 30 70"]),
    ("linear_batched", _ALL, ["8 512 768 3072", "4 128 256 256"]),
    ("matmul", _ALL, ["8 512 64"]),
    ("sum_rows", (*_ALL, "fp16"), [f"{rows} {width}" for rows in (64, 512, 2048, 4096, 16384, 65536)
                                   for width in (16, 64, 256, 768, 1000, 3072, 4096)]),
    ("sum_columns mean_columns", _ALL, ["64 64", "4096 768", "128 65536", "8 1000000", "1 4096", "2048 2560"]),
    ("sum_all mean_all", _ALL, ["100", "10000", "1000000", "4096 768", "8 512 768", "100000000"]),
    ("sum_batch", _ALL, ["8 512 768", "4 128 256", "16 1024 4096"]),
    ("sum_heads", _ALL, ["4 8 512 64", "2 3 64 16"]),
    ("sum_pixels", _ALL, ["16 16 128 128", "8 64 32 32", "32 256 8 8"]),
    ("amax argmax", _ALL, ["4096 768", "16 50257", "1 100000"]),
    ("vector_norm", _ALL, ["1000", "1000000", "50000000"]),
    ("foreach_norm clip", _ALL, ["5 1000", "40 1000000"]),
    ("softmax softmax_fp32", _ALL, ["4 8 512 512", "8 64 64", "2 2 2048 2048", "4096 50257"]),
    ("log_softmax cross_entropy", _ALL, ["4096 50257", "512 1000"]),
    ("layer_norm rms_norm", (*_ALL, "fp16"), ["4096 768", "512 64", "65536 1024", "100 2560", "33 4097"]),
    ("embedding", _ALL, ["4096 50257 768", "512 10000 256", "3073 10000 512", "16384 50257 1024"]),
    ("index_select index", _ALL, ["10000 256 4096", "100 64 512"]),
    ("gather", _ALL, ["4096 1000"]), ("topk", _ALL, ["4096 8 2", "16 50257 50"]), ("sort", _ALL, ["16 50257", "4096 64"]),
    ("multinomial cumsum", ("fp32",), ["4 50257", "16 1000"]), ("dropout gelu", _ALL, ["4096 768"]),
    ("flash efficient cudnn flash_causal efficient_causal cudnn_causal", _HALF,
     ["4 8 512 64", "1 16 1024 128", "2 4 300 64", "2 3 64 16", "8 1 4096 32"]),
    ("flash_model efficient_model cudnn_model math_model", _HALF, ["4 8 512 64", "2 12 1000 64", "1 16 4096 128"]),
    ("efficient math efficient_causal efficient_model", ("fp32",), ["4 8 512 64", "2 4 300 64", "1 2 2048 128"]),
    ("efficient", _HALF, ["2 4 512 256", "2 4 512 96"]), ("flash", _HALF, ["2 4 512 256", "2 4 512 96"]),
    ("conv2d", _ALL, ["16 3 16 128 3", "8 64 64 32 3", "8 64 128 32 1"]), ("patches", _ALL, ["8 224 16 768", "4 64 8 256"]),
    ("batch_norm", ("fp32",), ["16 16 128"]), ("group_norm max_pool", _ALL, ["16 16 128"]),
    ("adamw adamw_fused adamw_single sgd", _ALL, ["6 1000000", "3 10"]),
    ("lstm", _ALL, ["4 32 256"]),
] for name in names.split() for kind in kinds for sizes in many]
# Operators in which cuDNN or cub chooses its scratch: no dry run can know it.
CHOSEN_BY_LIBRARIES = {"embedding", "index", "sort", "topk", "multinomial", "conv2d", "patches", "lstm"}
PREDICTED = [case for case in CASES if case.split()[0] not in CHOSEN_BY_LIBRARIES]


def events_of(changes):
    """From (bytes, address), below 0 for a block that ends: the bytes of each block that begins, and -1 - I for
    the end of the block of event I, None if it began before."""
    events, places = [], {}
    for size, address in changes:
        if size > 0:
            places[address] = len(events)
            events.append(size)
        else:
            events.append(-1 - places.pop(address) if address in places else None)
    return events


def build(device, case: str = CASES[0]):
    """One operator, with its backward where it has one."""
    name, kind, *sizes = case.split()
    return OPERATORS[name](Maker(device, kind), *map(int, sizes))
