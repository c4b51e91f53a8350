#!/usr/bin/env python3
"""own_kernels.py BUILD TYPE D_HEAD T HEADS CAUSAL: our attention in CUDA C++, every stage, beside PyTorch's.

A process of its own, as torch_side.py. Loads BUILD/own_cuda/*.fatbin by the driver, launches each stage
on tensors of PyTorch, compares it with PyTorch's formula in fp32, and takes the times of kernels from
torch.profiler, which has them from CUPTI. Prints one JSON document: {"rows": [{"stage", "part", "ms",
"tflops", "error", "their_error"}]}; the rows of flash, efficient and cudnn have PyTorch's kernels, backward
for d_q and d_kv together. Exit code 77 with the reason where there is no torch, no GPU or no nvcc was there.
"""

import ctypes
import glob
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

MOST_STEPS, FEWEST_STEPS, ENOUGH_S = 20, 3, 0.25  # of a time
LONGEST_NAIVE = 4096
LARGE_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class Problem(ctypes.Structure):
    """kernels/own_cuda/attention.h: Attention."""
    _fields_ = [(name, ctypes.c_void_p) for name in
                ("q", "k", "v", "o", "log_sums", "d_o", "row_sums", "d_q", "d_k", "d_v")] + [
        ("queries", ctypes.c_int), ("keys", ctypes.c_int), ("group", ctypes.c_int),
        ("causal", ctypes.c_int), ("scale", ctypes.c_float)]


class ByTma(ctypes.Structure):
    """kernels/own_cuda/attention_warpgroup.h: AttentionByTma, whose maps want 64 bytes."""
    _fields_ = [*((name, ctypes.c_uint64 * 16) for name in ("q", "k", "v", "d_o")), ("a", Problem),
                ("rest", ctypes.c_uint8 * (-ctypes.sizeof(Problem) % 64))]


class Driver:
    def __init__(self, build, files="attention_*"):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.modules = []
        for path in sorted(glob.glob(str(build / f"own_cuda/{files}.fatbin"))):
            module = ctypes.c_void_p()
            image = pathlib.Path(path).read_bytes()
            # A file without code for this card is passed over.
            if self.cuda.cuModuleLoadData(ctypes.byref(module), image) == 0:
                self.modules.append(module)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name}: CUDA error {code}")

    def function(self, name):
        for module in self.modules:
            found = ctypes.c_void_p()
            if self.cuda.cuModuleGetFunction(ctypes.byref(found), module, name.encode()) == 0:
                return found
        return None  # not for this card

    def tensor_map(self, tensor, box_rows, to):
        """Fills the map at `to` for a tensor [1, heads, rows, columns]: boxes of 64 columns."""
        _, heads, rows, columns = tensor.shape
        kind = {"torch.float16": 6, "torch.bfloat16": 9}[str(tensor.dtype)]
        sizes = (ctypes.c_uint64 * 3)(columns, rows, heads)
        strides = (ctypes.c_uint64 * 2)(2 * columns, 2 * columns * rows)
        box, steps = (ctypes.c_uint32 * 3)(64, box_rows, 1), (ctypes.c_uint32 * 3)(1, 1, 1)
        swizzle_128, promote_256, zeros = 3, 3, 0
        aligned = ctypes.create_string_buffer(192)
        place = -ctypes.addressof(aligned) % 64
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(ctypes.addressof(aligned) + place), kind, 3,
                  ctypes.c_void_p(tensor.data_ptr()), sizes, strides, box, steps, 0, swizzle_128,
                  promote_256, zeros)
        ctypes.memmove(to, ctypes.addressof(aligned) + place, 128)

    def launch(self, kernel, problem, blocks, heads, stream):
        function = self.function(kernel["kernel"])
        self.call("cuFuncSetAttribute", function, LARGE_SHARED, kernel["shared_bytes"])
        arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(problem), ctypes.c_void_p))
        x, y = kernel["threads"]
        self.call("cuLaunchKernel", function, blocks, heads, 1, x, y, 1, kernel["shared_bytes"],
                  ctypes.c_void_p(stream), arguments, None)


def median_ms(torch, run):
    """The median time of a call's kernels together. Slow ones are timed less often."""
    from torch.profiler import ProfilerActivity, profile
    for _ in range(2):
        run()
    torch.cuda.synchronize()
    times, begin = [], time.monotonic()
    while len(times) < FEWEST_STEPS or (len(times) < MOST_STEPS and time.monotonic() - begin < ENOUGH_S):
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            run()
            torch.cuda.synchronize()
        times.append(sum(event.time_range.elapsed_us() for event in profiler.events()
                         if event.device_type == torch.autograd.DeviceType.CUDA) / 1e3)
    return statistics.median(times)


def measure(torch, launches, driver, width, length, heads, causal, dtype):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention as attend
    torch.manual_seed(0)
    q, k, v, d_o = (torch.randn(1, heads, length, width, device="cuda", dtype=dtype)
                    for _ in range(4))

    def results(backend, kind):
        leaves = [x.detach().to(kind).requires_grad_() for x in (q, k, v)]
        with sdpa_kernel(backend):
            o = attend(*leaves, is_causal=causal)
        gradients = torch.autograd.grad(o, leaves, d_o.to(kind))
        return [o.detach(), *gradients]

    exact = results(SDPBackend.MATH, torch.float32)
    plain = results(SDPBackend.MATH, dtype)

    def error(got, which):  # of all numbers, so that no single rounding decides
        return (got.float() - exact[which]).norm().item()

    o, d_q, d_k, d_v = (torch.empty_like(q) for _ in range(4))
    sums = torch.empty(2, heads, length, device="cuda", dtype=torch.float32)
    problem = Problem(q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), sums[0].data_ptr(),
                      d_o.data_ptr(), sums[1].data_ptr(), d_q.data_ptr(), d_k.data_ptr(),
                      d_v.data_ptr(), length, length, 1, int(causal), 1 / math.sqrt(width))
    stream = torch.cuda.current_stream().cuda_stream
    by_tma = ByTma(a=problem)
    rows = []
    before = next(kernel for kernel in launches if kernel["part"] == "row_sums")
    for stage in dict.fromkeys(kernel["stage"] for kernel in launches if kernel["stage"] != "all"):
        if stage == "naive" and length > LONGEST_NAIVE:
            continue  # it takes minutes
        parts = {kernel["part"]: kernel for kernel in launches if kernel["stage"] == stage}
        parts["row_sums"] = before

        def run(part):
            kernel = parts[part]
            by_maps = stage == "warpgroup" and part != "row_sums"
            driver.launch(kernel, by_tma if by_maps else problem, -(-length // kernel["rows"]), heads, stream)

        for part in ("forward", "row_sums", "d_q", "d_kv"):
            if part not in parts or (part == "row_sums" and "d_q" not in parts):
                continue
            if stage == "warpgroup":
                of_q, of_k = parts[part]["rows"], parts[part]["other"]
                if part == "d_kv":
                    of_q, of_k = of_k, of_q
                for tensor, name, box in ((q, "q", of_q), (d_o, "d_o", of_q), (k, "k", of_k), (v, "v", of_k)):
                    driver.tensor_map(tensor, box, ctypes.byref(by_tma, getattr(ByTma, name).offset))
            ms = median_ms(torch, lambda part=part: run(part))
            tensors = {"forward": [(o, 0)], "row_sums": [], "d_q": [(d_q, 1)],
                       "d_kv": [(d_k, 2), (d_v, 3)]}[part]
            rows.append({"stage": stage, "part": part, "ms": ms,
                         "tflops": parts[part]["flops"] / ms * 1e-9,
                         "error": max((error(x, i) for x, i in tensors), default=0.0),
                         "their_error": max((error(plain[i], i) for _, i in tensors), default=0.0)})
    flops = 4 * heads * length * length * width * (0.5 if causal else 1)
    for name, backend in (("flash", SDPBackend.FLASH_ATTENTION),
                          ("efficient", SDPBackend.EFFICIENT_ATTENTION),
                          ("cudnn", SDPBackend.CUDNN_ATTENTION)):
        try:
            with sdpa_kernel(backend):
                forward = median_ms(torch, lambda: attend(q, k, v, is_causal=causal))
            both = median_ms(torch, lambda backend=backend: results(backend, dtype))
        except RuntimeError:  # this type or card has no such kernel
            continue
        rows.append({"stage": name, "part": "forward", "ms": forward, "tflops": flops / forward * 1e-9})
        rows.append({"stage": name, "part": "backward", "ms": both - forward,
                     "tflops": 2.5 * flops / (both - forward) * 1e-9})
    return rows


def main():
    build = pathlib.Path(sys.argv[1])
    kind, width, length, heads = sys.argv[2], *map(int, sys.argv[3:6])
    causal = sys.argv[6] == "causal"
    try:
        import torch
    except ImportError as problem:
        print(f"no torch: {problem}", file=sys.stderr)
        return 77
    if not torch.cuda.is_available() or not hasattr(torch, "profiler"):
        print("no GPU, or a torch without its Python files", file=sys.stderr)
        return 77
    asked = subprocess.run(
        [build / "tensorscope", "kernel", "--stages", "--json", "--gpu", "H200",
         "--dtype", kind, "--d-head", str(width), "--T", str(length), "--heads", str(heads),
         *(["--causal"] if causal else [])], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        print(asked.stderr.strip() or "no stages", file=sys.stderr)
        return 77
    torch.zeros(1, device="cuda")  # makes the context that the driver's calls use
    driver = Driver(build)
    launches = [kernel for kernel in json.loads(asked.stdout)["launches"]
                if driver.function(kernel["kernel"])]
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[kind]
    print(json.dumps({"rows": measure(torch, launches, driver, width, length, heads, causal,
                                      dtype)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
