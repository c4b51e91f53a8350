"""attention_errors.py TENSORSCOPE [RUNS [DTYPE]]: errors of backend=own against fp64, over those of PyTorch's flash.

Each run has another seed, of T 1,024, 2,048 and 4,096 and d_head 64 and 128 by turns, once under a causal mask and once
without. Told are the ratios of the largest error of the output, and of a gradient: the geometric mean, the range, and
how many are above 2. Not a test: it judges nothing.
"""

import json
import math
import subprocess
import sys

LENGTHS = [1024, 2048, 4096]
WIDTHS = [64, 128]


def errors(program, backend, dtype, seed, causal):
    settings = {"backend": backend, "pass": "forward+backward", "B": 1, "heads": 2, "dtype": dtype, "seed": seed,
                "causal": "true" if causal else "false", "warmups": 0, "T": LENGTHS[seed % 3], "d_head": WIDTHS[seed % 2]}
    given = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    run = subprocess.run([program, "run", "attention", *given, "--steps", "1", "--check-values", "--json"],
                         capture_output=True, text=True, check=True)
    values = json.loads(run.stdout)["values"]
    return values["error"], values["gradient_error"]


def main():
    program = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    dtype = sys.argv[3] if len(sys.argv) > 3 else "fp32"
    for causal in (False, True):
        both = [(errors(program, "own", dtype, seed, causal), errors(program, "flash", dtype, seed, causal))
                for seed in range(1, runs + 1)]
        for part, name in enumerate(("output", "gradient")):
            ratios = [ours[part] / theirs[part] for ours, theirs in both]
            mean = math.exp(sum(map(math.log, ratios)) / runs)
            print(f"{'causal' if causal else 'all keys'}, {name}: {mean:.2f} x in the geometric mean, {min(ratios):.2f} to "
                  f"{max(ratios):.2f} x, {sum(ratio > 2 for ratio in ratios)} of {runs} above 2")


if __name__ == "__main__":
    main()
