"""trace_check.py PROGRAM: `summary --json` of traces against arithmetic in Python.

Traces as Kineto wrote them in every style from 2021 to 2026, plain and packed; and, where there is
torch 2.11, one that torch.profiler makes on the CPU, also against its own table. What Python's json
reads of the same file is summed up here, by other means than the program's.
"""

import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "trace_file"), str(ROOT / "kernels")]
import kineto_trace  # noqa: E402
from references import import_torch  # noqa: E402

WORK = {"kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset"}
problems = []


def equal(what, ours, theirs, tolerance=0.0):
    same = abs(ours - theirs) <= tolerance if isinstance(theirs, float) else ours == theirs
    if not same:
        problems.append(f"{what}: {ours}, Python {theirs}")


def events_of(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        document = json.load(file, strict=False)
    return document if isinstance(document, list) else document["traceEvents"]


def expected(path):
    events = events_of(path)
    stretches = [e for e in events if e.get("ph") == "X"]

    def totals(category):
        rows = collections.defaultdict(list)
        for e in stretches:
            if e.get("cat", "").lower() in category and not e["name"].startswith("ProfilerStep#"):
                rows[e["name"]].append(e["dur"])
        return rows

    kernels = collections.defaultdict(list)  # by device, with copies and fills
    for e in stretches:
        if e.get("cat", "").lower() in WORK:
            kernels[e["args"]["device"]].append((e["ts"], e["ts"] + e["dur"]))
    busy, idle = {}, {}
    for device, spans in kernels.items():
        of_device, until = 0.0, float("-inf")
        for begin, end in sorted(spans):
            of_device += max(0, end - max(begin, until))
            until = max(until, end)
        busy[device] = of_device
        idle[device] = until - min(begin for begin, _ in spans) - of_device
    steps = sorted((e["ts"], e["name"]) for e in stretches if e["name"].startswith("ProfilerStep#")
                   and e.get("cat", "").lower() in ("user_annotation", "operator", "cpu_op"))
    # The profiler's own window may be longer than the work in it.
    inside = [e for e in stretches if e.get("cat") != "Trace"] or stretches
    span = max(e["ts"] + e["dur"] for e in inside) - min(e["ts"] for e in inside)
    return {"events": len(events), "kernels": totals({"kernel"}),
            "operators": totals({"cpu_op", "operator"}), "steps": [name for _, name in steps],
            "busy": busy, "idle": idle, "span": span}


def summary(program, path):
    ended = subprocess.run([program, "summary", "--json", str(path)], capture_output=True, text=True)
    if ended.returncode or ended.stderr:
        sys.exit(f"summary {path}: {ended.returncode} {ended.stderr}")
    return json.loads(ended.stdout)


def check(program, path):
    ours, theirs = summary(program, path), expected(path)
    equal(f"{path.name} kind", ours["kind"], "trace")
    equal(f"{path.name} events", ours["events"], theirs["events"])
    equal(f"{path.name} steps", [step["name"] for step in ours["steps"]], theirs["steps"])
    # Times of 2021 have 16 digits before the point: Python's own sums end at a quarter of a us.
    exact = 0.001 * theirs["events"]
    mean = sum(theirs["busy"].values()) / max(len(theirs["busy"]), 1)
    equal(f"{path.name} gpu_busy_us", ours["gpu_busy_us"], float(mean), exact)
    devices = {row["device"]: row for row in ours["gpu_busy_by_device"]}
    equal(f"{path.name} devices", sorted(devices), sorted(theirs["busy"]))
    for device, row in devices.items():
        equal(f"{path.name} busy of {device}", row["busy_us"], float(theirs["busy"][device]), exact)
        equal(f"{path.name} idle of {device}", row["idle_us"], float(theirs["idle"][device]), 2 * exact)
    equal(f"{path.name} span_us", ours["span_us"], float(theirs["span"]), 1.0)
    for table in ("kernels", "operators"):
        rows = {row["name"]: row for row in ours[table]}
        equal(f"{path.name} {table}", sorted(rows), sorted(theirs[table]))
        for name, durations in theirs[table].items():
            row = rows.get(name, {"count": 0, "total_us": 0, "mean_us": 0})
            equal(f"{path.name} {name} count", row["count"], len(durations))
            equal(f"{path.name} {name} total", row["total_us"], float(sum(durations)), 0.01)
            equal(f"{path.name} {name} mean", row["mean_us"], sum(durations) / len(durations), 0.001)
    return ours


def check_styles(program, folder):
    for i, style in enumerate(sorted(kineto_trace.NAMES)):
        path = folder / f"{style}.json{'.gz' if i % 2 else ''}"
        kineto_trace.write(path, ["--style", style, "--events", "3000", "--seed", str(i)])
        ours = check(program, path)
        if not ours["kernels"] or not ours["operators"] or not ours["steps"]:
            problems.append(f"{path.name}: a table is empty")


def check_two_devices(program, folder):
    """One stream of two moved to a second device."""
    path = folder / "two_devices.json"
    kineto_trace.write(path, ["--style", "2026", "--events", "3000"])
    document = json.loads(path.read_text(encoding="utf-8"))
    for event in document["traceEvents"]:
        if event["pid"] == 0 and event["tid"] == 20:
            event["pid"] = 1
            if "device" in event.get("args", {}):
                event["args"]["device"] = 1
    path.write_text(json.dumps(document), encoding="utf-8")
    if len(check(program, path)["gpu_busy_by_device"]) != 2:
        problems.append("two devices are not told apart")


def check_copies(program, folder):
    """`convert` of a trace keeps every value of every event."""
    for style in sorted(kineto_trace.NAMES):
        path, copy = folder / f"whole_{style}.json", folder / f"copy_{style}.json"
        kineto_trace.write(path, ["--style", style, "--events", "2000", "--stacks"])
        ended = subprocess.run([program, "convert", str(path), str(copy)], capture_output=True, text=True)
        equal(f"convert of {style}", (ended.returncode, ended.stderr), (0, ""))
        same = json.loads(path.read_text(encoding="utf-8")) == json.loads(copy.read_text(encoding="utf-8"))
        equal(f"events of {style} are kept", same, True)


def check_ranks(program, folder):
    """`convert` of a folder keeps every event of every rank; what tells ranks apart differs by rank alone."""
    ranks, copy = folder / "ranks", folder / "ranks_as_one.json"
    ranks.mkdir()
    styles = sorted(kineto_trace.NAMES, key=lambda style: (style == "2026", style))  # that one tells its rank
    for i, style in enumerate(styles):
        kineto_trace.write(ranks / f"{i}.json{'.gz' if i % 2 else ''}",
                           ["--style", style, "--events", "2000", "--stacks", "--seed", str(i)])
    ended = subprocess.run([program, "convert", str(ranks), str(copy)], capture_output=True, text=True)
    equal("convert of a folder", ended.returncode, 0)
    merged = collections.defaultdict(list)
    for event in json.loads(copy.read_text(encoding="utf-8"))["traceEvents"]:
        merged[event["pid"] // 100].append(event)
    equal("ranks", sorted(merged), list(range(len(styles))))
    numbers = {"correlation", "External id", "external id"}
    for i, style in enumerate(styles):
        written = events_of(ranks / f"{i}.json{'.gz' if i % 2 else ''}")
        written = [event for event in written if event["ph"] != "M"]
        copied = [event for event in merged[i] if event["ph"] != "M"]
        equal(f"events of {style} as a rank", len(copied), len(written))
        shifts = {round(one["ts"] - other["ts"]) for one, other in zip(copied, written)}
        if max(shifts) - min(shifts) > 1:  # Python's rounding of 2021's times
            problems.append(f"times of {style} are shifted by {sorted(shifts)[:5]}")
        for one, other in zip(copied, written):
            for event in (one, other):
                for key in ("pid", "ts"):
                    del event[key]
            if "id" in other:
                other["id"] += i << 40
            arguments = other.get("args", {})
            for key in numbers & arguments.keys():
                arguments[key] += i << 40
            for event in (one, other):  # each rank has its own, also where none was written
                event.setdefault("args", {}).pop("device", None)
                event["args"].pop("Device Id", None)
        equal(f"values of {style} as a rank", copied == written, True)


def check_profiler(program, folder):
    torch, why_not = import_torch()
    if torch is None:
        print("without torch.profiler:", why_not)
        return
    from torch.profiler import ProfilerActivity, profile, record_function, schedule
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 8))
    path = folder / "profiler.json.gz"
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True,
                 with_stack=True, schedule=schedule(wait=0, warmup=1, active=3),
                 on_trace_ready=lambda p: p.export_chrome_trace(str(path))) as profiler:
        for _ in range(4):
            with record_function("one step of mine"):
                model(torch.randn(16, 64)).square().mean().backward()
            profiler.step()
    ours = check(program, path)
    rows = {row["name"]: row["count"] for row in ours["operators"]}
    for average in profiler.key_averages():
        if average.key.startswith("aten::"):
            equal(f"calls of {average.key}", rows.get(average.key), average.count)
    equal("steps of the profiler", len(ours["steps"]), 3)
    if ours["memory_events"] == 0 or ours["flows"] == 0:
        problems.append("the profiler's trace has no memory events or flows")


def main(program):
    with tempfile.TemporaryDirectory() as name:
        check_styles(program, pathlib.Path(name))
        check_two_devices(program, pathlib.Path(name))
        check_copies(program, pathlib.Path(name))
        check_ranks(program, pathlib.Path(name))
        check_profiler(program, pathlib.Path(name))
    print("\n".join(problems) or "every figure agrees")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
