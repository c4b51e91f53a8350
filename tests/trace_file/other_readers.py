"""other_readers.py PROGRAM [TRACE...]: reads our traces with HolisticTraceAnalysis and TraceLens; run by hand.

PROGRAM, the built tensorscope, runs a small model and writes its trace; each reader must find every operator
of the file in it. TRACEs of torch.profiler are read by the readers and by `summary --json`, and kernels and
operators are compared: name, count and time; with TraceLens also what the GPU did: compute, exposed communication and
copies, idle, where the trace has one GPU. HolisticTraceAnalysis moves both ends of each event inwards to whole
microseconds, so a time may be less by two, and of a short event negative. A reader that Python cannot import is
named and left out: the first is on PyPI
(HolisticTraceAnalysis, tried with 0.5.0 on pandas 2.3 and 3.1; above 32,767 events it needs 2.3), the second at github.com/AMD-AGI/TraceLens (PYTHONPATH). Exit code
1: something differs, or there was no reader.
"""

import collections
import gzip
import json
import logging
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings


def events_of(path):
    opened = gzip.open(path) if str(path).endswith(".gz") else open(path, "rb")
    with opened as file:
        found = json.load(file)
    return found["traceEvents"] if isinstance(found, dict) else found


class HolisticTraceAnalysis:
    """Rows of its table of one trace, as (category, name, microseconds)."""

    unit_us = 2

    def __init__(self):
        from hta.trace_analysis import TraceAnalysis
        self.analysis = TraceAnalysis

    def rows(self, path):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / ("rank0.json.gz" if str(path).endswith(".gz") else "rank0.json")
            shutil.copy(path, copy)
            read = self.analysis(trace_files={0: str(copy)}, trace_dir=folder, include_last_profiler_step=True)
        symbols = read.t.symbol_table.sym_table
        table = read.t.get_trace(0)
        for category, name, time in zip(table["cat"], table["name"], table["dur"]):
            yield symbols[category], symbols[name], float(time)


class TraceLens:
    unit_us = 0.001

    def __init__(self):
        from TraceLens.TreePerf import TreePerfAnalyzer
        self.analyser = TreePerfAnalyzer

    def rows(self, path):
        for event in self.analyser.from_file(str(path)).tree.events:
            if event.get("ph") == "X":
                yield event.get("cat", ""), event["name"], float(event["dur"])

    def gpu_time(self, path):
        """The time of the GPU, by our names, in microseconds."""
        table = self.analyser.from_file(str(path), include_unlinked_kernels=True).get_df_gpu_timeline()
        told = {row["type"]: row["time ms"] * 1000 for _, row in table.iterrows()}
        return {"compute_us": told["computation_time"], "exposed_communication_us": told["exposed_comm_time"],
                "exposed_copy_us": told["exposed_memcpy_time"], "idle_us": told["idle_time"]}


def readers():
    for reader in (HolisticTraceAnalysis, TraceLens):
        try:
            yield reader()
        except ImportError as error:
            print(f"{reader.__name__} is left out: {error}")


def differs(what, reader, theirs, ours):
    """Tells the first difference of two tables {name: (count, microseconds)}."""
    wrong = [name for name in sorted(theirs.keys() | ours.keys())
             if theirs.get(name, (0, 0))[0] != ours.get(name, (0, 0))[0] or
             abs(theirs[name][1] - ours[name][1]) > reader.unit_us * (1 + theirs[name][0])]
    word = "equal" if not wrong else f"{len(wrong)} differ, first {wrong[0]!r}: " + \
        f"{theirs.get(wrong[0])} and {ours.get(wrong[0])}"
    print(f"{type(reader).__name__}: {what}: {len(ours)} names, {sum(count for count, _ in ours.values())} in all, {word}")
    return bool(wrong) or not ours


def table(rows, category):
    found = collections.defaultdict(lambda: (0, 0.0))
    for kind, name, time in rows:
        if kind.lower() == category:
            found[name] = (found[name][0] + 1, found[name][1] + time)
    return dict(found)


def own_operators(reader, program, folder):
    subprocess.run([program, "run", "lm", "--preset", "tiny", "--steps", "3", "--out", folder], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = pathlib.Path(folder) / "trace.json"
    ours = table(((event.get("cat", ""), event["name"], float(event["dur"])) for event in events_of(path)
                  if event.get("ph") == "X"), "cpu_op")
    return differs("operators of our trace", reader, table(reader.rows(path), "cpu_op"), ours)


def tables(reader, program, path):
    told = subprocess.run([program, "summary", "--json", path], check=True, capture_output=True, text=True).stdout
    told = json.loads(told)
    name = pathlib.Path(path).name
    rows = list(reader.rows(path))
    wrong = False
    for what, category in (("kernels", "kernel"), ("operators", "cpu_op")):
        ours = {row["name"]: (row["count"], row["total_us"]) for row in told[what]}
        theirs = table(rows, category)
        if ours or theirs:
            wrong |= differs(f"{what} of {name}", reader, theirs, ours)
    wrong |= not (told["kernels"] or told["operators"])
    if hasattr(reader, "gpu_time") and len(told["gpu_busy_by_device"]) == 1:
        # Its times are floating numbers since the machine was started: each kernel rounds.
        count = sum(kernel["count"] for kernel in told["kernels"])
        theirs = {part: (count, time) for part, time in reader.gpu_time(path).items()}
        ours = {part: (count, time) for part, time in told["gpu_time"].items()}
        wrong |= differs(f"GPU time of {name}", reader, theirs, ours)
    return wrong


def main(program, traces):
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    found = list(readers())
    wrong = not found
    for reader in found:
        with tempfile.TemporaryDirectory() as folder:
            wrong |= own_operators(reader, program, folder)
        for path in traces:
            wrong |= tables(reader, program, path)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
