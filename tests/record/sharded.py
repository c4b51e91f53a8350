"""sharded.py TENSORSCOPE: what `predict --ranks 2 --shard NAME` says of a rank is what a rank takes.

A step as a script of PyTorch's (`tensorscope script`) is recorded alone, and as rank 0 of two over Gloo:
with ZeroRedundancyOptimizer under DistributedDataParallel (zero1), with fully_shard that keeps parameters
from forward to backward (zero2), and with fully_shard as it is (zero3). From the second step on the peak
of the rank must lie above or below that of the script alone by what is predicted: with zero1 to the byte,
with the others to NEAR of the peak, which lies where script and engine hold other activations.
Gloo's own copies of what it gathers and scatters count: predictions for the CPU have them. Left out are what
zero1's ranks exchange to agree on, and single numbers: the optimizer of PyTorch's Python counts the steps of
every parameter by itself.

Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from data_parallel import COMMON, MODEL, SIZES, ready_python, record, record_rank, said  # noqa: E402
from recording import ALLOC, FREED, environment  # noqa: E402
from references import skip_without_torch  # noqa: E402

JOIN = """
import os
import torch.distributed
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
torch.distributed.init_process_group("gloo", init_method=os.environ["MEETING"], world_size=2,
                                     rank=int(os.environ["RANK"]))
"""
SHARD = """
for block in getattr(model, "blocks", []):
    fully_shard(block, reshard_after_forward={again})
fully_shard(model, reshard_after_forward={again})
"""
SCALAR = 8
NEAR = 0.005
# On a busy machine Gloo's threads let go of a copy later.
RECORDINGS = 8
REPLICATE = "\nmodel = nn.parallel.DistributedDataParallel(model)\n"
OPTIMIZER = "    return torch.optim.AdamW(parameters, "
DIVIDED = "    return ZeroRedundancyOptimizer(parameters, torch.optim.AdamW, "


def ranks_script(text, shard):
    if shard == "zero1":
        if text.count(OPTIMIZER) != 1:
            raise RuntimeError("the script no longer has the optimizer that this test replaces")
        return text.replace(OPTIMIZER, DIVIDED).replace(MODEL, MODEL + JOIN + REPLICATE)
    # With the default None the root does the same after its forward for either argument.
    again = "False" if shard == "zero2" else "True"
    return text.replace(MODEL, MODEL + JOIN + SHARD.format(again=again))


def peak_of_steps(recording, shard=None):
    """The most that lives at once from the second step on, without what is told in the head."""
    live, total, most = {}, 0, 0
    for event in recording.memory:
        if event.action == ALLOC:
            if event.bytes <= SCALAR or (shard == "zero1" and event.op.startswith("c10d::")):
                continue
            live[event.address] = event.bytes
            total += event.bytes
        elif event.action == FREED:
            total -= live.pop(event.address, 0)
        if event.step >= 1:
            most = max(most, total)
    return most


def compare(program, python, workload, folder):
    arguments = [*workload, *COMMON]
    alone = json.loads(said(program, "predict", *arguments, "--cpu", "--json"))
    text = said(program, "script", *arguments, "--set", "device=cpu")
    if text.count(MODEL) != 1:
        raise RuntimeError("the script no longer has the line that this test extends")
    script = folder / "alone.py"
    script.write_text(text, encoding="utf-8")
    one = record(python, script, folder / f"{workload[0]}-alone.recording", environment())
    problems = []
    for shard in ("zero1", "zero2", "zero3"):
        rank = json.loads(said(program, "predict", *arguments, "--cpu", "--ranks", "2", "--shard", shard, "--json"))
        ranks = folder / "ranks.py"
        ranks.write_text(ranks_script(text, shard), encoding="utf-8")
        expected = rank["peak_requested"] - alone["peak_requested"]
        for take in range(RECORDINGS):  # each meets by a file of its own
            out = folder / f"{workload[0]}-{shard}-{take}.recording"
            two = peak_of_steps(record_rank(python, ranks, out, folder), shard)
            found = two - peak_of_steps(one)
            print(f"{workload[0]} {shard}: peak {found:+} bytes beside {peak_of_steps(one)}, predicted {expected:+}")
            if abs(found - expected) <= (0 if shard == "zero1" else NEAR * two):
                break
        else:
            problems.append(f"{workload[0]} {shard}: a rank's peak is {found:+} bytes from the script's, predicted "
                            f"{expected:+}")
    return problems


def categories(program, *share):
    """Bytes at the peak of a step whose optimizer has its state, by category, and all of them."""
    document = json.loads(said(program, "predict", *SIZES[1], *COMMON, "--cpu", "--json", *share))
    return document["by_category"] | {"all": document["peak_requested"]}


def table(program):
    """ZeRO's table (Rajbhandari et al. 2020) for fp32: parameters 4, gradients 4, AdamW 8 bytes each."""
    problems = []
    alone = categories(program)
    weights, state = alone["parameter"], alone["optimizer_state"]
    padding = 0.001  # parts are padded, and tensors of zero1 are dealt out whole
    for ranks in (2, 4, 8):
        for shard in ("zero1", "zero2", "zero3"):
            found = categories(program, "--ranks", str(ranks), "--shard", shard)
            if abs(found["optimizer_state"] - state / ranks) > (0.1 if shard == "zero1" else padding) * state:
                problems.append(f"{shard} on {ranks}: optimizer state {found['optimizer_state']} of {state}")
            most = alone["all"] + weights if shard == "zero1" else alone["all"]
            if not 4 * weights / ranks < found["all"] < most:
                problems.append(f"{shard} on {ranks}: {found['all']} bytes are not between the table's and one card's")
    for ways in (2, 4, 8):
        found = categories(program, "--tensor", str(ways))
        if abs(found["parameter"] - weights / ways) > 0.01 * weights:
            problems.append(f"tensor {ways}: parameters {found['parameter']} of {weights}")
    stages = [categories(program, "--pipeline", "3", "--stage", str(i), "--set", "accumulate=4") for i in range(3)]
    if sum(stage["parameter"] for stage in stages) != weights:
        problems.append("the stages of a pipeline do not have all parameters together")
    return problems


def main():
    problems = table(sys.argv[1])
    skip_without_torch()
    ready = ready_python()
    with tempfile.TemporaryDirectory() as name:
        for workload in SIZES:
            problems += compare(sys.argv[1], ready.python, workload, pathlib.Path(name))
    ready.end()
    print("\n".join(problems) or "two ranks take what is predicted")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
