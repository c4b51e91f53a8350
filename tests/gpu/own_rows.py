#!/usr/bin/env python3
"""own_rows.py BUILD TYPE ROWS WIDTH: our norms, softmax, weighted sum and cross entropy in CUDA C++, beside
PyTorch's.

A process of its own, as own_kernels.py, whose driver and clock it uses. Launches each kernel on tensors of
PyTorch, compares values and gradients with PyTorch's operator in fp64, and takes times from CUPTI. Prints one
JSON document: {"copy_gb_s", "rows": [{"operator", "part", "ms", "their_ms", "gb_s", "error", "their_error"}]}:
gb_s counts each number of the rows once; their_ms is of PyTorch's operator, in training its forward and
backward less its forward. cross_entropy has a chunk of WIDTH classes without the products around it. Exit
code 77 with the reason where there is no torch, no GPU or no nvcc was there.
"""

import ctypes
import json
import pathlib
import sys

from own_kernels import Driver, median_ms

P, I, F = ctypes.c_void_p, ctypes.c_int, ctypes.c_float


def structure(name, pointers, others):
    """A struct of kernels/own_cuda: pointers, then the others."""
    return type(name, (ctypes.Structure,),
                {"_fields_": [*((one, P) for one in pointers.split()), *others]})


SIZES = [("rows", I), ("width", I)]
WeightedSum = structure("WeightedSum", "x w y d_y d_x d_w partial", [*SIZES, ("rows_of_block", I)])
Norm = structure("Norm", "x w b y mean scale d_y d_x d_w d_b partial_w partial_b",
                 [*SIZES, ("rows_of_block", I), ("centred", I), ("epsilon", F)])
Softmax = structure("Softmax", "x y d_y d_x", SIZES)
CrossEntropy = structure("CrossEntropy", "logits targets largest sums losses mean d_mean d_x d_x_sum",
                         [*SIZES, ("first", I), ("begins", I), ("ends", I)])


class Launcher:
    def __init__(self, torch, driver, kind):
        self.torch, self.driver, self.kind = torch, driver, kind
        self.bytes = 4 if kind == "fp32" else 2
        self.stream = torch.cuda.current_stream().cuda_stream

    def launch(self, name, problem, blocks_x, blocks_y, threads):
        kernel = {"kernel": f"{name}_{self.kind}", "threads": threads, "shared_bytes": 0}
        self.driver.launch(kernel, problem, blocks_x, blocks_y, self.stream)

    # The blocks of threads: core/report/row_launch.h.
    def rows(self, name, problem):
        warps = min(-(-problem.width * self.bytes // (32 * 4 * 16)), 16)
        threads = (32, 4) if warps == 1 else (32 * warps, 1)
        self.launch(name, problem, -(-problem.rows // threads[1]), 1, threads)

    def columns(self, name, problem, blocks):
        self.launch(name, problem, -(-problem.width // (32 * 16 // self.bytes)), blocks, (32, 8))

    def sums(self, name, problem):
        self.launch(name, problem, -(-problem.width // 32), 1, (32, 8))


def operators(torch, launcher, rows, width, dtype):
    """For each operator: name, inputs, PyTorch's function, ours as {part: run}, what ours made: the result
    and the gradients, and the numbers of the rows that each part moves."""
    def normal(*sizes):
        return torch.randn(*sizes, device="cuda", dtype=dtype)

    def floats(*sizes):
        return torch.empty(*sizes, device="cuda", dtype=torch.float32)

    block = max(-(-rows // 256), 64)
    blocks = -(-rows // block)
    x, w, b, d_y = normal(rows, width), normal(width), normal(width), normal(rows, width)
    y, d_x, d_w, d_b = (torch.empty_like(one) for one in (x, x, w, b))
    d_row, row = normal(rows), torch.empty(rows, device="cuda", dtype=dtype)
    partial, mean, scale = floats(2, blocks, width), floats(rows), floats(rows)

    sums = WeightedSum(*(one.data_ptr() for one in (x, w, row, d_row, d_x, d_w, partial)), rows, width, block)
    yield ("weighted_sum", [x, w], lambda x, w: (x * w).sum(-1), d_row,
           {"forward": lambda: launcher.rows("weighted_sum_forward", sums),
            "backward": lambda: (launcher.columns("weighted_sum_backward", sums, blocks),
                                 launcher.sums("weighted_sum_add", sums))},
           [row, d_x, d_w], {"forward": 1, "backward": 2})
    for name, centred in (("rms_norm", False), ("layer_norm", True)):
        none = ctypes.c_void_p()
        norm = Norm(*(one.data_ptr() for one in (x, w, b, y, mean, scale, d_y, d_x, d_w, d_b, partial[0],
                                                 partial[1])), rows, width, block, int(centred), 1e-5)
        if not centred:
            norm.b = norm.mean = norm.d_b = norm.partial_b = none
        functional = torch.nn.functional
        theirs = ((lambda x, w, b: functional.layer_norm(x, (width,), w, b, 1e-5)) if centred else
                  (lambda x, w: functional.rms_norm(x, (width,), w, 1e-5)))
        yield (name, [x, w, b] if centred else [x, w], theirs, d_y,
               {"forward": lambda norm=norm: launcher.rows("norm_forward", norm),
                "backward": lambda norm=norm: (launcher.rows("norm_backward", norm),
                                               launcher.columns("norm_backward_weights", norm, blocks),
                                               launcher.sums("norm_add", norm))},
               [y, d_x, d_w, d_b] if centred else [y, d_x, d_w], {"forward": 2, "backward": 5})
    soft = Softmax(*(one.data_ptr() for one in (x, y, d_y, d_x)), rows, width)
    yield ("softmax", [x], lambda x: x.softmax(-1), d_y,
           {"forward": lambda: launcher.rows("softmax_forward", soft),
            "backward": lambda: launcher.rows("softmax_backward", soft)},
           [y, d_x], {"forward": 2, "backward": 3})
    targets = torch.randint(0, width, (rows,), device="cuda")
    one, loss, state, losses = floats(1).fill_(1), floats(1), floats(2, rows), floats(rows)
    d_x.copy_(x)  # logits, then their gradients
    entropy = CrossEntropy(*(t.data_ptr() for t in (d_x, targets, state[0], state[1], losses, loss, one)),
                           None, None, rows, width, 0, 1, 1)

    def forward():
        launcher.rows("cross_entropy_forward", entropy)
        launcher.launch("cross_entropy_mean", entropy, 1, 1, (32, 32))

    yield ("cross_entropy", [x], lambda x: torch.nn.functional.cross_entropy(x, targets), one[0],
           {"forward": forward, "backward": lambda: launcher.rows("cross_entropy_backward", entropy)},
           [loss[0], d_x], {"forward": 1, "backward": 2})


def results(torch, inputs, run, gradient, dtype):
    leaves = [one.detach().to(dtype).requires_grad_() for one in inputs]
    out = run(*leaves)
    return [out.detach(), *torch.autograd.grad(out, leaves, gradient.to(out.dtype))]


def copy_gb_s(torch):
    """The rate of a copy that no cache holds, as the roof of kernels that compute nothing."""
    source = torch.empty(256 << 20, device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    return 2 * source.numel() / median_ms(torch, lambda: target.copy_(source)) * 1e-6


def measure(torch, launcher, rows, width, dtype):
    torch.manual_seed(0)
    table = []
    for name, inputs, theirs, gradient, ours, made, numbers in operators(torch, launcher, rows, width, dtype):
        exact = results(torch, inputs, theirs, gradient, torch.float64)
        plain = results(torch, inputs, theirs, gradient, dtype)
        for run in ours.values():
            run()
        torch.cuda.synchronize()
        errors = [[(got.double() - right).norm().item() for got, right in zip(some, exact)]
                  for some in (made, plain)]
        forward = median_ms(torch, lambda: theirs(*inputs))
        both = median_ms(torch, lambda: results(torch, inputs, theirs, gradient, dtype))
        for part, run in ours.items():
            which = slice(0, 1) if part == "forward" else slice(1, None)
            ms = median_ms(torch, run)
            table.append({"operator": name, "part": part, "ms": ms,
                          "their_ms": forward if part == "forward" else both - forward,
                          "gb_s": numbers[part] * rows * width * inputs[0].element_size() / ms * 1e-6,
                          "error": max(errors[0][which]), "their_error": max(errors[1][which])})
    return table


def main():
    build = pathlib.Path(sys.argv[1])
    kind, rows, width = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    try:
        import torch
    except ImportError as problem:
        print(f"no torch: {problem}", file=sys.stderr)
        return 77
    if not torch.cuda.is_available() or not hasattr(torch, "profiler"):
        print("no GPU, or a torch without its Python files", file=sys.stderr)
        return 77
    torch.zeros(1, device="cuda")  # makes the context that the driver's calls use
    driver = Driver(build, "*")
    if driver.function(f"softmax_forward_{kind}") is None:
        print("no kernels for this card: nvcc makes them when the program is built", file=sys.stderr)
        return 77
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[kind]
    launcher = Launcher(torch, driver, kind)
    print(json.dumps({"copy_gb_s": copy_gb_s(torch),
                      "rows": measure(torch, launcher, rows, width, dtype)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
