"""data_parallel_pairs.py TENSORSCOPE [ROUNDS [RANKS [WORK ...]]]: ranks of ours and of PyTorch's Python by turns.

Each round runs the same step as ranks over Gloo on this machine, once by `tensorscope run --world` and once as the
script of `tensorscope script` under torch.nn.parallel.DistributedDataParallel, one thread a rank, in changing order.
Steps begin together on both sides: ours agree on whether to go on, Python's have a barrier.
Told are the median step of the slowest rank of both and the step that a tenth is quicker than, which other work on
the machine disturbs less, with the median of the rounds' ratios and the interval that has the true median with 95 %
(between two of the ratios in order, by the binomial distribution: nothing is assumed of theirs). Run it
with a Python that has torch 2.11 (third_party/.deps/torch_python). Not a test: it judges nothing.
"""

import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

STEPS = 60
SKIPPED = 10  # first steps of Python, in place of our warm-up
WORKS = {
    "lm": ["lm", "--preset", "tiny", "--set", "d_model=256", "--set", "heads=4", "--set", "layers=4", "--set", "B=4",
           "--set", "T=64"],
    "mlp": ["mlp", "--set", "B=64", "--set", "d_model=512", "--set", "d_ff=2048"],
}
COMMON = ["--set", "pass=full_step", "--set", "optimizer=adamw_fused", "--set", "threads=1"]
MODEL = "model = model.to(DTYPE)\n"
BEGIN = "        begin = time.perf_counter()\n"
RANKS = """
import os
import torch.distributed
torch.set_num_threads(1)
torch.distributed.init_process_group("gloo", init_method=os.environ["MEETING"], world_size=int(os.environ["SIZE"]),
                                     rank=int(os.environ["RANK"]))
model = nn.parallel.DistributedDataParallel(model)
"""


def ours(program, work, ranks, folder):
    out = folder / "ours"
    subprocess.run([program, "run", *work, *COMMON, "--world", str(ranks), "--steps", str(STEPS), "--parts", "none",
                    "--out", str(out)], capture_output=True, text=True, check=True)
    return [json.loads((out / f"rank-{rank}" / "run.json").read_text(encoding="utf-8"))["samples_ms"]["timed"]
            for rank in range(ranks)]


def slowest(of_ranks, share):
    """The step that this share of steps is quicker than, of the rank where it is longest."""
    return max(sorted(times)[int(share * len(times))] for times in of_ranks)


def theirs(program, work, ranks, folder):
    text = subprocess.run([program, "script", *work, *COMMON, "--set", "device=cpu"], capture_output=True, text=True,
                          check=True).stdout
    script = folder / "step.py"
    if text.count(MODEL) != 1 or text.count(BEGIN) != 1:
        raise RuntimeError("the script no longer has the lines that this extends")
    text = text.replace(MODEL, MODEL + RANKS).replace(BEGIN, "        torch.distributed.barrier()\n" + BEGIN)
    script.write_text(text, encoding="utf-8")
    meeting = tempfile.mktemp(dir=folder)
    settings = os.environ | {"MEETING": f"file://{meeting}", "SIZE": str(ranks), "OMP_NUM_THREADS": "1"}
    started = [subprocess.Popen([sys.executable, str(script), str(STEPS + SKIPPED)], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, env=settings | {"RANK": str(rank)})
               for rank in range(ranks)]
    times = []
    for process in started:
        lines = [line for line in process.communicate()[0].splitlines() if line.startswith("step ")]
        times.append([float(line.rsplit(", ", 1)[1].removesuffix(" ms")) for line in lines[SKIPPED:]])
    return times


def interval(ratios):
    """Two of the sorted ratios between which the true median lies with 95 % at least; all of them if they are few."""
    count = len(ratios)
    below, outside = 0, 0.0
    while True:
        outside += 2 * math.comb(count, below) / 2 ** count
        if outside > 0.05 or below >= (count - 1) // 2:
            break
        below += 1
    cut = max(below - 1, 0)
    return ratios[cut], ratios[count - 1 - cut]


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    ranks = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    with tempfile.TemporaryDirectory() as name:
        for title in sys.argv[4:] or WORKS:
            pairs = []
            for turn in range(rounds):
                sides = [lambda: ours(program, WORKS[title], ranks, pathlib.Path(name)),
                         lambda: theirs(program, WORKS[title], ranks, pathlib.Path(name))]
                first = sides[turn % 2]()
                second = sides[1 - turn % 2]()
                pairs.append((first, second) if turn % 2 == 0 else (second, first))
            for words, share in (("median step", 0.5), ("quickest tenth", 0.1)):
                told = [(slowest(a, share), slowest(b, share)) for a, b in pairs]
                ratios = sorted(a / b for a, b in told)
                low, high = interval(ratios)
                print(f"{title}, {ranks} ranks, {words}: ours {statistics.median(a for a, _ in told):.2f} ms, "
                      f"Python's {statistics.median(b for _, b in told):.2f} ms, ratio "
                      f"{statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}] of {rounds} pairs")


if __name__ == "__main__":
    main()
