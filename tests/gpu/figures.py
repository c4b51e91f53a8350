"""The figures that tests/gpu/run reads out of the files that a run leaves."""

import pickle


class Plain(pickle.Unpickler):
    """A snapshot is made of dicts, lists, texts and numbers: nothing else is loaded."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} in a memory snapshot")


def load_snapshot(path):
    with open(path, "rb") as file:
        return Plain(file).load()


def scratch_bytes(snapshot):
    """{operator: bytes}: the most that came and went in one call.

    A block counts when it comes and goes while the same operator is open and no other operator has
    an event in between. Blocks that follow each other are added up: an upper bound.
    """
    most = {}
    for trace in snapshot["device_traces"]:
        current, held, gone = None, {}, 0
        for entry in trace:
            frames = entry.get("frames") or [{}]
            operator = frames[0].get("name") if frames[0].get("filename") == "operator" else None
            if operator != current:
                current, held, gone = operator, {}, 0
            if operator is None:
                continue
            if entry["action"] == "alloc":
                held[entry["addr"]] = entry["size"]
            elif entry["action"] == "free_completed" and entry["addr"] in held:
                # The operator's result stays.
                gone += held.pop(entry["addr"])
                most[operator] = max(most.get(operator, 0), gone)
    return most


def snapshot_keys(snapshot):
    def keys(parts):
        return sorted({key for part in parts for key in part})

    segments = snapshot["segments"]
    return {"top": sorted(snapshot), "segment": keys(segments),
            "block": keys(block for segment in segments for block in segment["blocks"]),
            "entry": keys(entry for trace in snapshot["device_traces"] for entry in trace),
            "settings": sorted(snapshot["allocator_settings"])}


def allocations(snapshot):
    """Bytes of each allocation, in order."""
    return [entry["size"] for trace in snapshot["device_traces"] for entry in trace
            if entry["action"] == "alloc"]


def compare_kernels(ours, steps, theirs):
    """(difference in calls, percent of the sum of times): the table of run.json against
    torch.profiler's, both a step."""
    mine = {row["name"]: (row["calls"] / steps, row["total_ms"] * 1e3 / steps) for row in ours}
    calls = {name: (mine.get(name, (0, 0))[0], theirs.get(name, (0, 0))[0])
             for name in {*mine, *theirs}}
    differing = {name: pair for name, pair in calls.items() if pair[0] != pair[1]}
    total = sum(us for _, us in mine.values())
    expected = sum(us for _, us in theirs.values())
    return differing, (total / expected - 1) * 100 if expected else None
