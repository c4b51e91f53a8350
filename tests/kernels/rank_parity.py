"""rank_parity.py ENGINE_DUMP: ranks together compute what one process computes with the whole batch.

engine_dump runs a list of specifications once alone, with the batch of all ranks, and once as each of two, four
and eight ranks that share it, gradients exchanged by PyTorch's Reducer over Gloo. Losses, gradient norms,
gradients and parameters after five steps must agree to the rounding of the type; all ranks must have the same
gradients and parameters, bit for bit. The same holds for ranks that divide the optimizer's state (zero1); of
those that divide gradients and parameters too (zero2, zero3) the parts are put together.
"""

import array
import json
import math
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile

TINY = {"workload": "lm", "pass": "full_step", "layers": 2, "d_model": 32, "heads": 4, "d_ff": 64, "vocab": 64,
        "T": 16, "B": 8, "threads": 1}
SPECS = [
    TINY | {"clip": 1.0},
    TINY | {"accumulate": 2, "B": 4, "checkpoint": "blocks"},
    TINY | {"pass": "forward+backward", "zero_grad": "zero", "tied": True},
    TINY | {"lora_rank": 4, "lora_on": "all", "clip": 1.0},
    TINY | {"window": 6, "padding": 9},
    {"workload": "mlp", "pass": "full_step", "optimizer": "sgd", "B": 4, "T": 8, "d_model": 32, "d_ff": 64,
     "threads": 1},
    {"workload": "block", "pass": "full_step", "dtype": "bf16", "B": 4, "T": 16, "d_model": 32, "heads": 4,
     "d_ff": 64, "threads": 1},
]
EXACT = {"bucket_mib": 0.01, "compression": "none", "sync_every": False}
SMALL = {"bucket_mib": 0, "compression": "none", "sync_every": True}
BF16 = {"bucket_mib": 25, "compression": "bf16", "sync_every": False}
FP16 = {"bucket_mib": 25, "compression": "fp16", "sync_every": False}
ZERO1, ZERO2, ZERO3 = (EXACT | {"shard": shard} for shard in ("zero1", "zero2", "zero3"))
# ||ranks - alone|| / ||alone|| of gradients and updated parameters, and of losses.
TOLERANCE = {"fp32": 2e-5, "bf16": 3e-2}
ROUNDING = 2e-5
OF_COMPRESSED = {"bf16": 2e-2, "fp16": 2e-3}


def possible(spec, settings):
    """Whether the ranks can divide what they are to divide."""
    shard = settings.get("shard", "none")
    if shard == "zero1":
        return spec["pass"] == "full_step"
    return shard == "none" or not (spec.get("zero_grad") == "zero" or "lora_rank" in spec)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def alone(dump, specs, folder):
    """engine_dump of the specifications as one process."""
    folder.mkdir()
    (folder / "specs.json").write_text(json.dumps(specs), encoding="utf-8")
    subprocess.run([dump, folder / "specs.json", folder], check=True)


def world_of(specs, folders, settings):
    """A world for engine_dump: each rank dumps into a folder of its own."""
    port = free_port()
    ranks = []
    for rank, folder in enumerate(folders):
        folder.mkdir()
        (folder / "specs.json").write_text(json.dumps(specs), encoding="utf-8")
        ranks.append(settings | {"specs": str(folder / "specs.json"), "folder": str(folder), "rank": rank,
                                 "size": len(folders), "port": port})
    return ranks


def run_worlds(dump, worlds, folder):
    (folder / "worlds.json").write_text(json.dumps(worlds), encoding="utf-8")
    subprocess.run([dump, folder / "worlds.json"], check=True)


def numbers(data, dtype):
    if dtype == "Float":
        return array.array("f", data)
    if dtype == "BFloat16":
        halves = array.array("H", data)
        return array.array("f", struct.pack(f"<{2 * len(halves)}H", *(x for half in halves for x in (0, half))))
    return None


def read(folder):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    tensors = {}
    for entry in manifest["tensors"]:
        data = (folder / entry["file"]).read_bytes()
        tensors[entry["role"], entry["name"]] = (data, numbers(data, entry["dtype"]))
    return manifest, tensors


def distance(ranks, alone):
    """||a - b|| / ||b|| over all tensors of a role together: some alone are zero but for rounding."""
    difference = sum((x - y) ** 2 for a, b in zip(ranks, alone) for x, y in zip(a, b))
    size = sum(y ** 2 for b in alone for y in b)
    return math.sqrt(difference / size) if size > 0 else math.sqrt(difference)


def put_together(dumps, tensors):
    """Parts are cut along the first dimension and padded: one behind the other they begin with the whole."""
    for (role, name), (whole, _) in tensors.items():
        if role in ("gradient", "updated"):
            parts = [dump[1][role, name] for dump in dumps]
            if len({len(data) for data, _ in parts}) != 1:
                raise RuntimeError(f"{role} of {name}: parts of different sizes")
            data = b"".join(data for data, _ in parts)
            values = array.array("f", [value for _, part in parts for value in part])
            if any(data[len(whole):]):
                raise RuntimeError(f"{role} of {name}: the padding is no longer zero")
            size = len(values) * len(whole) // len(data)
            for dump in dumps:
                dump[1][role, name] = (data[:len(whole)], values[:size])


def compare(spec, settings, folders, alone):
    problems = []
    dumps = [read(folder) for folder in folders]
    manifest, tensors = read(alone)
    if settings.get("shard") in ("zero2", "zero3"):
        put_together(dumps, tensors)
    allowed = TOLERANCE[spec.get("dtype", "fp32")]
    allowed = max(allowed, OF_COMPRESSED.get(settings["compression"], 0))
    for role in ("gradient", "updated"):
        names = [name for (kind, name) in tensors if kind == role]
        if not names:
            problems.append(f"no {role} was dumped")
        for other in dumps[1:]:
            problems += [f"{role} of {name} differs between ranks" for name in names
                         if other[1][role, name][0] != dumps[0][1][role, name][0]]
        found = distance([dumps[0][1][role, name][1] for name in names], [tensors[role, name][1] for name in names])
        if not found <= allowed:
            problems.append(f"{role}: {found:.2e} from one process's, {allowed:.0e} allowed")
        if settings["compression"] != "none" and role == "gradient" and found < ROUNDING:
            problems.append(f"gradients are not rounded to {settings['compression']}")
    for key in ("losses", "gradient_norms"):
        for step, (one, whole) in enumerate(zip(dumps[0][0][key], manifest[key])):
            if not abs(one - whole) <= allowed * max(abs(whole), 1e-6):
                problems.append(f"{key}, step {step}: {one} and {whole} in one process")
        if any(dump[0][key] != dumps[0][0][key] for dump in dumps):
            problems.append(f"{key} differ between ranks")
    # Inputs with rows are shared out; masks and tables every rank has.
    shared = 0
    for name in [name for (kind, name) in tensors if kind == "input"]:
        rows = [dump[1]["input", name][0] for dump in dumps]
        whole = tensors["input", name][0]
        shared += b"".join(rows) == whole
        if b"".join(rows) != whole and any(one != whole for one in rows):
            problems.append(f"the ranks' rows of input {name} are not those of the whole batch")
    if shared == 0:
        problems.append("no input is shared out")
    return problems


def main():
    dump = sys.argv[1]
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        alone(dump, SPECS, folder / "alone")
        worlds, compared = [], []
        for size, settings in ((2, EXACT), (2, SMALL), (2, BF16), (2, FP16), (4, EXACT), (8, EXACT), (2, ZERO1),
                               (4, ZERO1), (8, ZERO1), (2, ZERO2), (4, ZERO2), (2, ZERO3), (4, ZERO3), (8, ZERO3)):
            divisible = [index for index, spec in enumerate(SPECS)
                         if spec["B"] % size == 0 and possible(spec, settings)]
            shared = [SPECS[index] | {"B": SPECS[index]["B"] // size} for index in divisible]
            kind = "-".join(str(value) for value in settings.values())
            folders = [folder / f"{size}-{kind}-{rank}" for rank in range(size)]
            worlds.append(world_of(shared, folders, settings))
            compared.append((size, settings, divisible, folders))
        run_worlds(dump, worlds, folder)
        for size, settings, divisible, folders in compared:
            for place, index in enumerate(divisible):
                found = compare(SPECS[index], settings, [one / str(place) for one in folders],
                                folder / "alone" / str(index))
                problems += [f"{size} ranks, {settings}, specification {index}: {one}" for one in found]
    print("\n".join(problems) or "ranks together compute what one process does")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
