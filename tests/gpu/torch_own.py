#!/usr/bin/env python3
"""torch_own.py FILE DEVICE KEY=VALUE ...: three steps of a Python file's build(), by PyTorch alone.

Prints one JSON document: {"peak_allocated", "peak_reserved"}, of which a processor has none. A process of its
own, so that nothing was allocated before. Exit code 77 with the reason where there is no torch, or no GPU for
cuda.
"""

import importlib.util
import json
import sys

STEPS = 3


def value_of(text):
    try:
        return json.loads(text.lower())
    except json.JSONDecodeError:
        return text


def main():
    file, device, *settings = sys.argv[1:]
    try:
        import torch
    except ImportError as problem:
        print(f"no torch: {problem}", file=sys.stderr)
        return 77
    if device != "cuda" or not torch.cuda.is_available():
        print("only CUDA's allocator counts its peak, and there is no GPU", file=sys.stderr)
        return 77
    spec = importlib.util.spec_from_file_location("own", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arguments = {key: value_of(value) for key, value in (word.split("=", 1) for word in settings)}
    step = module.build(device=torch.device(device), **arguments)
    for _ in range(STEPS):
        step()
    torch.cuda.synchronize()
    counted = torch.cuda.memory_stats()
    print(json.dumps({"peak_allocated": counted["allocated_bytes.all.peak"],
                      "peak_reserved": counted["reserved_bytes.all.peak"]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
