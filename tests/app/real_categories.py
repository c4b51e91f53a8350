"""real_categories.py PROGRAM: guessed categories of published snapshots against their architectures.

TENSORSCOPE_REAL_FILES names a folder with the snapshots of FILES, in any folder below it; those that
are not there are left out, and without any the check is skipped. Expected bytes come from the
architecture that the repository of a file tells, its type and its optimizer, not from the file.
Prints a line for each file and category.
"""

import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
LOSS = 4
WORKSPACE = (2 * 4096 + 8 * 16) << 10  # of cuBLAS on Ampere and Ada
HOPPER = 32 << 20
SMALL = 0.0004  # buffers, tokens and labels of a snapshot, which no number tells from parameters


def gated(layers, width, wide, words):
    """Parameters of the cs336 model: four square and three wide matrices and two norms a layer, a
    table, a head and a last norm."""
    return layers * (4 * width * width + 3 * width * wide + 2 * width) + 2 * words * width + width


MEDIUM = 4 * gated(24, 1024, 4096, 10_000)
WIDE = 4 * gated(32, 2560, 10_240, 10_000)


def tiny_llama():
    """TinyLlama 1.1B with linear layers in 4 bits, the rest in 32, and adapters of rank 16 on q and v."""
    width, wide, small, words, layers, rank = 2048, 5632, 256, 32_000, 22, 16
    weights = 2 * width * width + 2 * width * small + 3 * width * wide
    scales = weights // 64 * 4
    adapters = 3 * rank * width + rank * small
    return (layers * (weights // 2 + scales) + 2 * words * width * 4 + (2 * layers + 1) * width * 4,
            layers * adapters * 4)


def of_step(parameters, logits, workspaces):
    return {"parameter": parameters, "gradient": parameters, "optimizer_state": 2 * parameters,
            "activation": logits + LOSS, "temporary": workspaces}


def of_llama():
    frozen, adapters = tiny_llama()
    tokens, hidden, wide = 1000, 2048, 5632
    # Products before down_proj, two norms and attention a layer, words, logits: held in 32 and 16 bits.
    held = 22 * (tokens * wide * 4 + 3 * tokens * hidden * 4) + tokens * hidden * 4 + tokens * 32_000 * 4
    return {"parameter": frozen + adapters, "gradient": adapters + tokens * hidden * 4,
            "activation": held + LOSS, "temporary": 2 * WORKSPACE}


FILES = {
    "ftcourse": of_llama(),
    "kk_ctx128_fullstep": of_step(WIDE, 4 * 128 * 10_000 * 4, 2 * HOPPER),
    "kk_ctx256_fullstep_": of_step(WIDE, 4 * 256 * 10_000 * 4, 2 * HOPPER),
    "kk_ctx128_forward": {"parameter": WIDE, "temporary": HOPPER},
    "kk_ctx512_forward_mixed": {"parameter": WIDE, "temporary": HOPPER},
    "wed_256_training": of_step(MEDIUM, 4 * 256 * 10_000 * 4, 2 * WORKSPACE),
    "wed_512_training": of_step(MEDIUM, 4 * 512 * 10_000 * 2, 2 * WORKSPACE),
    "wed_1024_training": of_step(MEDIUM, 4 * 1024 * 10_000 * 2, 2 * WORKSPACE),
    "wed_512_inference": {"parameter": MEDIUM, "temporary": WORKSPACE},
    "wed_1024_inference": {"parameter": MEDIUM, "temporary": WORKSPACE},
    "adam": of_step(4 * (10_000 * 1000 + 1000), 4 * 16 * 1000, 2 * WORKSPACE)
            | {"input": 4 * 16 * 10_000},
}


def guessed(program, path):
    words = [program, "summary", "--json", str(path), "--by", "category", "--of", "end"]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    rows = json.loads(ended.stdout)["blocks"]["devices"][0]["rows"]
    return {row["name"]: row["bytes"] for row in rows}


def check(program, path):
    wrong = 0
    found = guessed(program, path)
    for name, expected in FILES[path.stem].items():
        beside = found.get(name, 0) - expected
        room = SMALL * expected if name == "parameter" else 0
        wrong += not 0 <= beside <= room
        print(f"{'agrees' if 0 <= beside <= room else 'DIFFERS':8} {path.stem} {name}: "
              f"{expected} bytes, {beside:+} guessed")
    for name in found.keys() - FILES[path.stem].keys() - {"activation"}:
        wrong += 1
        print(f"DIFFERS  {path.stem} {name}: {found[name]} bytes guessed, none there")
    return wrong


def main(program):
    folder = os.environ.get("TENSORSCOPE_REAL_FILES")
    paths = sorted(pathlib.Path(folder).rglob("*.pickle")) if folder else []
    paths = [path for path in paths if path.stem in FILES]
    if not paths:
        print("skipped: TENSORSCOPE_REAL_FILES names no folder with snapshots of known architectures")
        return SKIPPED
    return int(sum(check(program, path) for path in paths) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
