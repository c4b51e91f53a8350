"""real_files.py PROGRAM: `summary --json` of files that others published, against sums in Python.

TENSORSCOPE_REAL_FILES names a folder with memory snapshots and traces of any origin (*.pickle,
*.json, *.json.gz); without it the check is skipped. Files that are neither are left out. Python's
pickle and json read each file a second time, and what is summed up here is by other means than the
program's. Prints a line for each file.
"""

import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "snapshot"))
from snapshot_check import DataOnly  # noqa: E402

KINDS = {"kernels": {"kernel"}, "operators": {"cpu_op", "operator"}}
SKIPPED = 77


def load(path):
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rb") as file:
        if ".pickle" in path.name:
            return DataOnly(file).load()
        return json.loads(file.read().decode("utf-8", "replace"), strict=False)


def is_snapshot(document):
    return isinstance(document, dict) and "segments" in document


def is_trace(document):
    return isinstance(document, dict) and isinstance(document.get("traceEvents"), list)


def peak_of(segments, trace):
    """The most bytes that were in use at once, until their free is completed, as memory_viz counts them: what lived before the trace is what the trace
    frees without having allocated it, and what the segments have beside that at the end."""
    born, alive, at_end = set(), {}, {}
    for segment in segments:
        address = segment["address"]
        for block in segment["blocks"]:
            address = block.get("address", address)
            if block["state"] != "inactive":
                at_end[address] = block.get("requested_size", block["size"])
            address += block["size"]
    before = 0
    for event in trace:
        if event["action"] == "alloc":
            born.add(event["addr"])
            alive[event["addr"]] = event["size"]
        elif event["action"] == "free_completed":
            if event["addr"] not in alive and event["addr"] not in born:
                before += event["size"]
                born.add(event["addr"])
            alive.pop(event["addr"], None)
    before += sum(size for address, size in at_end.items() if address not in born)
    peak = total = before
    for event in trace:
        total += event["size"] * {"alloc": 1, "free_completed": -1}.get(event["action"], 0)
        peak = max(peak, total)
    return peak


def of_snapshot(document):
    traces = document.get("device_traces", [])
    actions = collections.Counter(event["action"] for trace in traces for event in trace)
    segments = document["segments"]
    return {"kind": "snapshot", "events": sum(map(len, traces)), "actions": dict(actions),
            "segments": len(segments),
            "peaks": {number: peak_of([s for s in segments if s.get("device", 0) == number], trace)
                      for number, trace in enumerate(traces) if trace}}


def microseconds(value):
    return float(value or 0)


def of_trace(document):
    events = document["traceEvents"]
    stretches = [e for e in events if isinstance(e, dict) and e.get("ph") == "X"]
    tables = {}
    for table, categories in KINDS.items():
        rows = collections.defaultdict(list)
        for event in stretches:
            if str(event.get("cat", "")).lower() in categories:
                rows[event.get("name", "")].append(microseconds(event.get("dur")))
        tables[table] = {name: (len(all_of), sum(all_of)) for name, all_of in rows.items()
                         if not name.startswith("ProfilerStep#")}
    return {"kind": "trace", "events": sum(isinstance(e, dict) for e in events), **tables}


def summary(program, path):
    ended = subprocess.run([program, "summary", "--json", str(path)], capture_output=True, text=True)
    if ended.returncode:
        return {"kind": "none", "why": ended.stderr.strip()}
    return json.loads(ended.stdout)


def differences(ours, theirs):
    """The differences, as sentences."""
    for key in ("kind", "events", "actions", "segments"):
        if key in theirs and ours.get(key) != theirs[key]:
            yield f"{key}: {ours.get(key, ours.get('why'))}, Python {theirs[key]}"
    for number, peak in theirs.get("peaks", {}).items():
        found = [d["peak_allocated"] for d in ours.get("devices", []) if d["device"] == number]
        if found != [peak]:
            yield f"device {number} peak: {found}, Python {peak}"
    for table in KINDS:
        if table not in theirs:
            continue
        rows = {row["name"]: row for row in ours.get(table, [])}
        for name in sorted(rows.keys() ^ theirs[table].keys()):
            yield f"{table}: {name!r} is in one only"
        for name in rows.keys() & theirs[table].keys():
            count, total = theirs[table][name]
            # Times of 2021 have 16 digits before the point, whose sums end at a quarter of a us.
            if rows[name]["count"] != count or abs(rows[name]["total_us"] - total) > 0.01 + 1e-9 * total:
                yield f"{table} {name}: {rows[name]['count']} {rows[name]['total_us']}, Python {count} {total}"


def check(program, path):
    try:
        document = load(path)
    except (ValueError, OSError, EOFError) as error:
        print(f"left out   {path.name}: {error}")
        return 0
    if not is_snapshot(document) and not is_trace(document):
        print(f"left out   {path.name}: neither a snapshot nor a trace")
        return 0
    theirs = of_snapshot(document) if is_snapshot(document) else of_trace(document)
    found = list(differences(summary(program, path), theirs))
    print(f"{'DIFFERS' if found else 'agrees':10} {path.name}: {theirs['kind']}, {theirs['events']} events")
    for line in found[:10]:
        print("          ", line)
    return bool(found)


def main(program):
    folder = os.environ.get("TENSORSCOPE_REAL_FILES")
    if not folder:
        print("skipped: TENSORSCOPE_REAL_FILES names no folder with published snapshots and traces")
        return SKIPPED
    files = sorted(path for path in pathlib.Path(folder).rglob("*")
                   if path.name.endswith((".pickle", ".json", ".json.gz")))
    if not files:
        print(f"no snapshot or trace in {folder}")
        return 1
    return int(sum(check(program, path) for path in files) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
