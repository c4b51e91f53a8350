"""rank_runs.py TENSORSCOPE: runs by several ranks from the command line.

Two, four and eight ranks learn what one process learns with the whole batch, also where they divide optimizer state,
gradients or parameters; a rank's peak is the predicted one; the
timeline has all ranks, the same collectives in the same order; ranks of Open MPI's variables, of ssh and of torchrun
(with torch in this Python) find each other; what cannot meet says so in one sentence.
"""

import csv
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

WORK = ["lm", "--preset", "tiny", "--set", "pass=full_step", "--set", "layers=2", "--set", "d_model=128", "--set",
        "heads=4", "--set", "T=32", "--set", "threads=1"]
LONGEST = 240


def run(program, *arguments, code=0, **environment):
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=LONGEST, check=False,
                           env=os.environ | environment)
    if ended.returncode != code:
        raise RuntimeError(f"{arguments}: exit code {ended.returncode}, not {code}: {ended.stderr}")
    return ended


def sentence(ended, words):
    lines = [line for line in ended.stderr.splitlines() if line.strip()]
    return [] if len(lines) == 1 and words in lines[0] else [f"'{words}' expected, said was: {ended.stderr}"]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def learn_together(program, folder):
    problems = []
    whole = json.loads(run(program, "run", *WORK, "--set", "B=8", "--steps", "8", "--json").stdout)
    losses = [step["loss"] for step in whole["training"]["steps"]]
    for ranks in (2, 4, 8):
        out = folder / f"{ranks}-ranks"
        batch = ["--set", f"B={8 // ranks}"]
        ended = run(program, "run", *WORK, *batch, "--world", str(ranks), "--steps", "8", "--out", str(out), "--json")
        said = json.loads(ended.stdout)
        for step, (one, other) in enumerate(zip(losses, said["losses"])):
            if abs(one - other) > 2e-5 * abs(one):
                problems.append(f"{ranks} ranks, step {step}: loss {other}, {one} in one process")
        if min(len(losses), len(said["losses"])) < 8:
            problems.append(f"{ranks} ranks: {len(said['losses'])} losses")
        predicted = json.loads(run(program, "predict", *WORK, *batch, "--cpu", "--data-parallel", "--json").stdout)
        peaks = [rank["peak_allocated"] for rank in said["ranks"]]
        if any(peak != predicted["peak_requested"] for peak in peaks):
            problems.append(f"{ranks} ranks: peaks {peaks}, predicted {predicted['peak_requested']}")
        if said["ranks"][0]["buckets"] != predicted["data_parallel"]["buckets"]:
            problems.append(f"{ranks} ranks: buckets {said['ranks'][0]['buckets']}, predicted otherwise")
        problems += timeline(out, ranks, said)
    return problems


def divide(program, folder):
    """ZeRO: the same losses, each rank's own predicted peak, and the collectives that move the shares."""
    problems = []
    whole = json.loads(run(program, "run", *WORK, "--set", "B=8", "--set", "clip=1", "--steps", "8", "--json").stdout)
    losses = [step["loss"] for step in whole["training"]["steps"]]
    for shard, ranks in (("zero1", 2), ("zero1", 4), ("zero2", 2), ("zero2", 4), ("zero3", 2), ("zero3", 4)):
        out, what = folder / f"{shard}-{ranks}", f"{shard} on {ranks} ranks"
        work = [*WORK, "--set", f"B={8 // ranks}", "--set", "clip=1"]
        said = json.loads(run(program, "run", *work, "--world", str(ranks), "--shard", shard, "--steps", "8", "--out",
                              str(out), "--json").stdout)
        if said["shard"] != shard or min(len(losses), len(said["losses"])) < 8:
            problems.append(f"{what}: {said['shard']}, {len(said['losses'])} losses")
        for step, (one, other) in enumerate(zip(losses, said["losses"])):
            if abs(one - other) > 2e-5 * abs(one):
                problems.append(f"{what}, step {step}: loss {other}, {one} in one process")
        peaks = [rank["peak_allocated"] for rank in said["ranks"]]
        expected = []
        for rank in range(ranks if shard == "zero1" else 1):  # the others are alike
            one = ["--rank", str(rank)] if shard == "zero1" else []
            expected.append(json.loads(run(program, "predict", *work, "--cpu", "--ranks", str(ranks), "--shard", shard,
                                           *one, "--json").stdout)["peak_requested"])
        if peaks != (expected if shard == "zero1" else expected * ranks):
            problems.append(f"{what}: peaks {peaks}, predicted {expected}")
        problems += moved(what, shard, ranks, said, out)
    return problems


def moved(what, shard, ranks, said, out):
    """The bytes of the three recorded steps, by name of Gloo's collective, against those of the parameters."""
    spec = json.loads((out / "spec.json").read_text(encoding="utf-8"))
    width, inner, vocab, layers, steps = spec["d_model"], spec["d_ff"], spec["vocab"], spec["layers"], 3
    block = 4 * (4 * width * width + 3 * inner * width + 2 * width)
    root = 4 * (2 * vocab * width + width)  # parts have no padding: all is divisible by the ranks
    found = {}
    for one in said["collectives"]["of"]:
        if one["bytes"] > 8:
            found[one["name"]] = found.get(one["name"], 0) + one["bytes"] * one["count"]
    every = steps * (layers * block + root)
    # Its input is a rank's part. Zero3 gathers the blocks again in the backward.
    again = steps * layers * block if shard == "zero3" else 0
    # The Reducer's set-up broadcasts all parameters once, and their shapes.
    expected = {"zero1": {"gloo:all_reduce": every, "gloo:broadcast": every + every // steps},
                "zero2": {"gloo:all_reduce": every, "gloo:all_gather": every // ranks},
                "zero3": {"gloo:all_reduce": every, "gloo:all_gather": (every + again) // ranks}}[shard]
    shapes = {"gloo:broadcast": 1024}
    right = found.keys() == expected.keys() and all(
        0 <= found[name] - expected[name] <= shapes.get(name, 0) for name in found)
    problems = [] if right else [f"{what}: moved {found}, by the closed form {expected}"]
    if said["collectives"]["first_difference"] is not None:
        problems.append(f"{what}: order of collectives {said['collectives']}")
    return problems


def bias_comes_first(program):
    """Two layers of which each weight fills the first bucket: where its bias goes shows in the second."""
    work = ["mlp", "--set", "pass=full_step", "--set", "threads=1"]
    said = json.loads(run(program, "run", *work, "--world", "2", "--steps", "2", "--json").stdout)["ranks"]
    predicted = json.loads(run(program, "predict", *work, "--cpu", "--data-parallel", "--json").stdout)
    found = [rank["buckets"] for rank in said]
    expected = predicted["data_parallel"]["buckets"]
    return [] if found == 2 * [expected] else [f"layers with bias: buckets {found}, predicted {expected}"]


def timeline(out, ranks, said):
    problems = []
    collectives = said["collectives"]
    if collectives["first_difference"] is not None or collectives["issued"] < 8:
        problems.append(f"{ranks} ranks: order of collectives {collectives}")
    exchanged = sum(one["bytes"] * one["count"] for one in collectives["of"] if one["name"] == "gloo:all_reduce")
    steps = 3  # recorded
    if exchanged != steps * sum(said["ranks"][0]["buckets"]):
        problems.append(f"{ranks} ranks: {exchanged} bytes were exchanged in {steps} steps")
    trace = json.loads((out / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in trace if event.get("name") == "process_name"}
    if sorted(names.values()) != [f"rank {rank}" for rank in range(ranks)]:
        problems.append(f"{ranks} ranks: processes {names}")
    # On one clock no rank ends an all-reduce before every rank has begun it.
    parts = {}
    with open(out / "collectives.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["name"] == "gloo:all_reduce":
                begin = float(row["begin_ms"])
                parts.setdefault(row["collective"], []).append((begin, begin + float(row["ms"])))
    known = max(rank["round_trip_ns"] for rank in said["ranks"]) * 1e-6
    for number, spans in parts.items():
        if len(spans) != ranks or max(begin for begin, _ in spans) > min(end for _, end in spans) + known:
            problems.append(f"{ranks} ranks: collective {number} is not at one time: {spans}")
    return problems


def set_up_is_the_peak(program):
    """A step that trains little: the broadcast of all parameters before it."""
    work = ["lm", "--preset", "tiny", "--set", "pass=full_step", "--set", "layers=3", "--set", "B=1", "--set", "T=16",
            "--set", "lora_rank=16", "--set", "lora_on=all", "--set", "threads=1"]
    said = json.loads(run(program, "run", *work, "--world", "2", "--steps", "2", "--json").stdout)["ranks"]
    predicted = json.loads(run(program, "predict", *work, "--cpu", "--data-parallel", "--json").stdout)
    found, expected = [rank["peak_allocated"] for rank in said], predicted["peak_requested"]
    if predicted["by_category"]["gradient"] != 0:
        return ["the broadcast is no longer the peak"]
    return [] if found == 2 * [expected] else [f"broadcast as the peak: {found}, predicted {expected}"]


def factors(program, folder):
    """PowerSGD: a gradient of n x m travels as r (n + m) numbers where that is at most half of it."""
    out, rank = folder / "factors", 2
    said = json.loads(run(program, "run", *WORK, "--world", "2", "--steps", "4", "--compress", "powersgd",
                          "--powersgd-rank", str(rank), "--out", str(out), "--json").stdout)
    width, layers = 128, 2
    spec = json.loads((out / "spec.json").read_text(encoding="utf-8"))
    inner, vocab = spec["d_ff"], spec["vocab"]
    matrices = [(vocab, width)] * 2 + [(width, width)] * 4 * layers + [(inner, width)] * 3 * layers
    norms = (2 * layers + 1) * width
    whole = sum(n * m for n, m in matrices) + norms
    sent = sum(rank * (n + m) for n, m in matrices) + norms
    problems = []
    for one in said["ranks"]:
        found = one["compression"]
        if (found["elements"], found["sent"]) != (whole, sent):
            problems.append(f"factors: {found}, {whole} and {sent} elements by the closed form")
        if not 0 < found["left_out"] < 1:
            problems.append(f"factors: {found['left_out']} of the gradient is left out")
    # The first two of three recorded steps exchange everything, the last one factors.
    exchanged = sum(one["bytes"] * one["count"] for one in said["collectives"]["of"]
                    if one["name"] == "gloo:all_reduce" and one["bytes"] > 8)
    if exchanged != 4 * (2 * whole + sent):
        problems.append(f"factors: {exchanged} bytes were exchanged, {4 * (2 * whole + sent)} by the closed form")
    return problems


def by_variables(program, folder):
    """Two ranks as Open MPI would start them, which gather by themselves what they wrote."""
    out, port = folder / "mpi", free_port()
    started = [subprocess.Popen([program, "run", *WORK, "--world", "env", "--steps", "4", "--out", str(out)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2",
                                                  "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "MASTER_PORT": port})
               for rank in range(2)]
    said = [process.communicate(timeout=LONGEST)[1] for process in started]
    if any(process.returncode for process in started):
        return [f"ranks by variables: {said}"]
    ranks = json.loads((out / "ranks.json").read_text(encoding="utf-8"))["ranks"]
    return [] if [rank["rank"] for rank in ranks] == [0, 1] else [f"ranks by variables: {ranks}"]


def by_ssh(program, folder):
    """A stand-in for ssh runs here what it is told to run there, and says where that should have been."""
    (folder / "bin").mkdir()
    stand_in = folder / "bin" / "ssh"
    stand_in.write_text('#!/bin/sh\n[ "$3" = gone ] && { echo "gone: unknown host" >&2; exit 255; }\n'
                        f'echo "$3" >> {folder}/hosts.seen\nexec sh -c "$4"\n', encoding="utf-8")
    stand_in.chmod(0o755)
    hosts, out = folder / "hosts", folder / "by ssh's"
    settings = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    arguments = [*WORK, "--world", "3", "--steps", "4", "--hosts", str(hosts), "--out", str(out)]
    hosts.write_text("one slots=2  # two ranks\n\ntwo\n", encoding="utf-8")
    run(program, "run", *arguments, **settings)
    seen = sorted((folder / "hosts.seen").read_text(encoding="utf-8").split())
    problems = [] if seen == ["one", "one", "two"] else [f"ssh was asked for {seen}"]
    ranks = json.loads((out / "ranks.json").read_text(encoding="utf-8"))["ranks"]
    problems += [] if [rank["verdict"] for rank in ranks] == 3 * ["ok"] else [f"by ssh: {ranks}"]
    hosts.write_text("one\ngone slots=2\n", encoding="utf-8")
    said = run(program, "run", *arguments, "--timeout", "8", code=1, **settings).stderr
    if "No rank can be started on gone: gone: unknown host" not in said:
        problems.append(f"a host that is gone: {said}")
    hosts.write_text("one\n", encoding="utf-8")
    problems += sentence(run(program, "run", *arguments, code=2, **settings), "has room for 1 ranks, not for 3")
    hosts.write_text("one slots=x\n", encoding="utf-8")
    problems += sentence(run(program, "run", *arguments, code=2, **settings), "is no host with an optional slots=N")
    return problems


def by_torchrun(program, folder):
    try:
        import torch.distributed.run  # noqa: F401
    except ImportError:
        print("no torch in this Python: torchrun is left out")
        return []
    out = folder / "torchrun"
    ended = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                            "--no-python", program, "run", *WORK, "--world", "env", "--steps", "4", "--out", str(out)],
                           capture_output=True, text=True, timeout=LONGEST, check=False)
    if ended.returncode != 0:
        return [f"torchrun: {ended.stderr}"]
    ranks = json.loads((out / "ranks.json").read_text(encoding="utf-8"))["ranks"]
    return [] if [rank["verdict"] for rank in ranks] == ["ok", "ok"] else [f"torchrun: {ranks}"]


def cannot_meet(program):
    alone = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    begin = time.monotonic()
    problems = sentence(run(program, "run", *WORK, "--world", "env", "--timeout", "2", code=1, **alone),
                        "Rank 1 of 2 did not meet the others at 127.0.0.1:")
    if time.monotonic() - begin > 60:
        problems.append("an unreachable rank 0 was waited for too long")
    # Rank 0 is told other settings.
    settings = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    started = [subprocess.Popen([program, "run", *WORK, "--set", f"T={length}", "--world", "env", "--timeout", "4"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env=os.environ | settings | {"RANK": str(rank)})
               for rank, length in enumerate((32, 64))]
    said = [process.communicate(timeout=LONGEST)[1] for process in started]
    if "Rank 1 differs from rank 0 in T: 64 instead of 32" not in said[1]:
        problems.append(f"other settings: {said[1]}")
    if any(process.returncode != 1 for process in started):
        problems.append(f"other settings: exit codes {[process.returncode for process in started]}")
    return problems


def bad_input(program):
    problems = []
    for words, arguments in (("--world 0: use a number of ranks", [*WORK, "--world", "0"]),
                             ("--world 2x: use a number of ranks", [*WORK, "--world", "2x"]),
                             ("--timeout requires --world", [*WORK, "--timeout", "3"]),
                             ("--compress", [*WORK, "--world", "2", "--compress", "int8"]),
                             ("There is no sharding \"zero4\"", [*WORK, "--world", "2", "--shard", "zero4"]),
                             ("--shard requires --world", [*WORK, "--shard", "zero1"]),
                             ("has nobody to share with", [*WORK, "--world", "1", "--shard", "zero1"]),
                             ("which ZeRO-2 and ZeRO-3 do not have", [*WORK, "--world", "2", "--shard", "zero3",
                                                                      "--compress", "bf16"]),
                             ("have no Reducer", [*WORK, "--world", "2", "--shard", "zero2", "--bucket", "10"]),
                             ("choose zero_grad=none", [*WORK, "--set", "zero_grad=zero", "--world", "2", "--shard",
                                                        "zero2"]),
                             ("which only a full step has", [*WORK, "--set", "pass=forward+backward", "--world", "2",
                                                             "--shard", "zero1"]),
                             ("without CUDA graphs", [*WORK, "--set", "device=cuda", "--set", "cuda_graph=true",
                                                      "--world", "2", "--shard", "zero1"]),
                             ("This process is no rank", [*WORK, "--world", "env"])):
        problems += sentence(run(program, "run", *arguments, code=2), words)
    for words, arguments in (("has no gradients to exchange", [*WORK, "--set", "pass=forward", "--world", "2"]),
                             ("choose compile off", [*WORK, "--set", "compile=inductor", "--world", "2"]),
                             ("has no parameters", ["attention", "--set", "T=16", "--set", "heads=2", "--set",
                                                       "pass=forward+backward", "--world", "2"])):
        problems += sentence(run(program, "run", *arguments, code=1), words)
    return problems


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        problems = learn_together(program, folder)
        problems += divide(program, folder)
        problems += bias_comes_first(program)
        problems += set_up_is_the_peak(program)
        problems += factors(program, folder)
        problems += by_variables(program, folder)
        problems += by_ssh(program, folder)
        problems += by_torchrun(program, folder)
        problems += cannot_meet(program)
        problems += bad_input(program)
    print("\n".join(problems) or "ranks run together")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
