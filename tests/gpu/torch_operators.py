#!/usr/bin/env python3
"""torch_operators.py: what CUDA's allocator gives each case of operators.py in its second step.

Prints one JSON document: {case: events}, where an event is a size that was asked for, or minus the number of the event
whose block is let go, less 1; or {case: {"error": text}} where PyTorch refuses it. Exit code 77 with the reason where
there is no torch or no GPU.
"""

import json
import pathlib
import sys

try:
    import torch
except ImportError as problem:
    print(f"no torch: {problem}", file=sys.stderr)
    sys.exit(77)
if not hasattr(torch, "cuda") or not torch.cuda.is_available():
    print("no GPU", file=sys.stderr)
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import operators


def recorded(step):
    torch.cuda.synchronize()
    torch.cuda.memory._record_memory_history(context=None)
    step()
    torch.cuda.synchronize()
    trace = torch.cuda.memory._snapshot()["device_traces"][0]
    torch.cuda.memory._record_memory_history(enabled=None)
    signs = {"alloc": 1, "free_completed": -1}
    return operators.events_of((signs[entry["action"]] * entry["size"], entry["addr"])
                               for entry in trace if entry["action"] in signs)


def main():
    found = {}
    for case in operators.CASES:
        try:
            step = operators.build(torch.device("cuda"), case)
            step()
            found[case] = recorded(step)
        except RuntimeError as problem:
            found[case] = {"error": str(problem).splitlines()[0]}
        step = None
        torch.cuda.empty_cache()
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
