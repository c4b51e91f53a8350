"""data_parallel.py TENSORSCOPE: what `predict --data-parallel` says of a rank is what a rank takes.

A step as a script of PyTorch's (`tensorscope script`) is recorded alone, and as rank 0 of two under
DistributedDataParallel over Gloo. The buckets that the rank makes for its second step must be the
predicted ones, in their order, and its peak must be above that of the script alone by what is predicted.

Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from ready_python import ReadyPython  # noqa: E402
from recording import ALLOC, FREED, Recording, environment  # noqa: E402
from references import skip_without_torch  # noqa: E402

STEPS = 3
# Small, all in the first bucket; and several buckets, some with one large tensor.
SIZES = (["mlp", "--set", "B=2", "--set", "d_model=64", "--set", "d_ff=128"],
         ["lm", "--preset", "tiny", "--set", "d_model=512", "--set", "heads=8", "--set", "layers=6", "--set",
          "B=1", "--set", "T=16"])
# Frozen parameters have no place in a bucket.
ADAPTERS = ["lm", "--preset", "tiny", "--set", "layers=3", "--set", "B=4", "--set", "T=128", "--set", "lora_rank=16",
            "--set", "lora_on=all"]
COMMON = ["--set", "pass=full_step", "--set", "optimizer=adamw_fused", "--set", "threads=1"]
MODEL = "model = model.to(DTYPE)\n"
RANKS = """
import os
import torch.distributed
torch.distributed.init_process_group("gloo", init_method=os.environ["MEETING"], world_size=2,
                                     rank=int(os.environ["RANK"]))
model = nn.parallel.DistributedDataParallel(model)
"""


def said(program, *arguments):
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {ended.stderr}")
    return ended.stdout


def ready_python():
    """The modules that the ranks' scripts import are imported once."""
    return ReadyPython("torch.distributed.fsdp", "torch.distributed.optim", "torch.nn.parallel", environment=environment())


def record(python, script, out, settings):
    ended = subprocess.run([python, "-m", "tensorscope", "record", "--out", str(out), str(script),
                            str(STEPS)], env=settings, capture_output=True, text=True, timeout=300, check=False)
    if ended.returncode != 0:
        raise RuntimeError(ended.stderr)
    return Recording(out)


def record_rank(python, script, out, folder):
    settings = environment() | {"MEETING": f"file://{folder}/meeting-{out.stem}"}
    with subprocess.Popen([python, str(script), str(STEPS)], env=settings | {"RANK": "1"},
                          stdout=subprocess.DEVNULL) as other:
        try:
            return record(python, script, out, settings | {"RANK": "0"})
        finally:
            other.kill()


def peak(recording):
    """The peak of the last step. In the second one the backend's thread may still hold the sizes of the new buckets."""
    live, total, most = {}, 0, 0
    for event in recording.memory:
        if event.action == ALLOC:
            live[event.address] = event.bytes
            total += event.bytes
        elif event.action == FREED:
            total -= live.pop(event.address, 0)
        if event.step == STEPS - 1:
            most = max(most, total)
    return most


def buckets(recording):
    """Blocks that DistributedDataParallel itself takes in the second step and keeps."""
    taken = {}
    for event in recording.memory:
        if event.action == ALLOC and event.step == 1 and event.phase == "forward" and \
                event.module.split(" @ ")[0] == "DistributedDataParallel" and event.op == "aten::empty":
            taken[event.address] = event.bytes
        elif event.action == FREED:
            taken.pop(event.address, None)
    return list(taken.values())


def compare(program, python, workload, folder, number):
    arguments = [*workload, *COMMON]
    alone = json.loads(said(program, "predict", *arguments, "--cpu", "--json"))
    rank = json.loads(said(program, "predict", *arguments, "--cpu", "--data-parallel", "--json"))
    text = said(program, "script", *arguments, "--set", "device=cpu")
    if text.count(MODEL) != 1:
        raise RuntimeError("the script no longer has the line that this test extends")
    script, ranks = folder / "alone.py", folder / "ranks.py"
    name = f"{workload[0]}-{number}"
    script.write_text(text, encoding="utf-8")
    ranks.write_text(text.replace(MODEL, MODEL + RANKS), encoding="utf-8")
    one = record(python, script, folder / f"{name}-alone.recording", environment())
    two = record_rank(python, ranks, folder / f"{name}-rank.recording", folder)
    problems = []
    found, expected = buckets(two), rank["data_parallel"]["buckets"]
    if found != expected:
        problems.append(f"{name}: buckets {found}, predicted {expected}")
    found = peak(two) - peak(one)
    expected = rank["peak_requested"] - alone["peak_requested"]
    if found != expected:
        problems.append(f"{name}: a rank's peak is {found} bytes above the script's, predicted {expected}")
    print(f"{name}: buckets {len(buckets(two))}, peak {found} bytes above {peak(one)}")
    return problems


def main():
    skip_without_torch()
    ready = ready_python()
    with tempfile.TemporaryDirectory() as name:
        problems = []
        for number, workload in enumerate((*SIZES, ADAPTERS)):
            problems += compare(sys.argv[1], ready.python, workload, pathlib.Path(name), number)
    ready.end()
    print("\n".join(problems) or "two ranks take what is predicted")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
