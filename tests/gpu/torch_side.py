#!/usr/bin/env python3
"""torch_side.py WORKLOAD KEY=VALUE ...: the forward of a workload in PyTorch's Python.

A process of its own: two profilers of one process would be in each other's way. Prints one JSON
document: {"kernels": {name: [calls a step, microseconds a step]}, "overhead_percent": what
torch.profiler costs, steps with and without it taking turns, "snapshot": {"keys": those of PyTorch's
own memory snapshot, "allocations": the bytes of each one of a step}}. With device=cpu there are neither
kernels nor a snapshot. Exit code 77 with the reason where there is no torch 2.11, or no GPU for
device=cuda.
"""

import json
import statistics
import sys
import time

from figures import allocations, snapshot_keys

STEPS = 10


def forward_of(torch, workload, spec):
    """A function that runs the forward once, on parameters and inputs made here."""
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[spec["dtype"]]
    made = {"device": spec["device"], "dtype": dtype}
    batch, length = int(spec["B"]), int(spec["T"])
    if workload == "mlp":
        width, hidden = int(spec["d_model"]), int(spec["d_ff"])
        up = torch.nn.Linear(width, hidden, **made)
        down = torch.nn.Linear(hidden, width, **made)
        x = torch.randn(batch, length, width, **made)
        return lambda: down(torch.nn.functional.gelu(up(x)))
    from torch.nn.attention import SDPBackend, sdpa_kernel
    shape = (batch, int(spec["heads"]), length, int(spec["d_head"]))
    q, k, v = (torch.randn(shape, **made) for _ in range(3))
    backend = {"flash": SDPBackend.FLASH_ATTENTION, "math": SDPBackend.MATH,
               "efficient": SDPBackend.EFFICIENT_ATTENTION}[spec["backend"]]

    def attention():
        with sdpa_kernel(backend):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    return attention


def wait(torch, device):
    if device == "cuda":
        torch.cuda.synchronize()


def kernels_of(torch, forward):
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        for _ in range(STEPS):
            forward()
        torch.cuda.synchronize()
    found = {}
    for event in profiler.events():
        on_device = event.device_type == torch.autograd.DeviceType.CUDA
        if not on_device or event.name.startswith(("Memcpy", "Memset")):
            continue
        calls, microseconds = found.get(event.name, (0, 0.0))
        found[event.name] = (calls + 1, microseconds + event.time_range.elapsed_us())
    return {name: [calls / STEPS, us / STEPS] for name, (calls, us) in found.items()}


def overhead_of(torch, forward, device):
    """Percent that a profiled step takes longer, from steps that take turns."""
    from torch.profiler import ProfilerActivity, profile
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device == "cuda")

    def step(profiled):
        begin = time.perf_counter()
        forward()
        wait(torch, device)
        times[profiled].append(time.perf_counter() - begin)

    times = {True: [], False: []}
    for _ in range(5):
        for _ in range(STEPS):
            step(False)
        with profile(activities=activities):
            for _ in range(STEPS):
                step(True)
    return (statistics.median(times[True]) / statistics.median(times[False]) - 1) * 100


def snapshot_of_a_step(torch, forward):
    torch.cuda.memory._record_memory_history()
    forward()
    torch.cuda.synchronize()
    snapshot = torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    return {"keys": snapshot_keys(snapshot), "allocations": allocations(snapshot)}


def main():
    try:
        import torch
    except ImportError as problem:
        print(f"no torch: {problem}", file=sys.stderr)
        return 77
    workload, *settings = sys.argv[1:]
    spec = dict(setting.split("=", 1) for setting in settings)
    on_gpu = spec["device"] == "cuda"
    version = getattr(torch, "__version__", "without its Python files")
    if not version.startswith("2.11") or (on_gpu and not torch.cuda.is_available()):
        print(f"torch {version}, or no GPU", file=sys.stderr)
        return 77
    with torch.no_grad():
        forward = forward_of(torch, workload, spec)
        for _ in range(STEPS):
            forward()
        wait(torch, spec["device"])
        print(json.dumps({"kernels": kernels_of(torch, forward) if on_gpu else None,
                          "overhead_percent": overhead_of(torch, forward, spec["device"]),
                          "snapshot": snapshot_of_a_step(torch, forward) if on_gpu else None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
