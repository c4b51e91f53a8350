"""made_snapshot.py EVENTS FILE [--stacks]: a memory snapshot in the form of torch.cuda.memory._dump_snapshot, for measuring.

About 4,000 blocks live at a time; every free has its request and its end. With --stacks each event has a list of 26
shared frames of one of 3,000 stacks, at random, which is the worst for a reader that keeps stacks.
"""

import argparse
import pickle
import random

ALIVE = 4000
SEGMENT = 4 << 20


def stacks(chosen):
    frames = [{"name": f"function_{i}", "filename": f"/data/model/file_{i % 200}.py", "line": i} for i in range(8000)]
    return [[chosen.choice(frames) for _ in range(26)] for _ in range(3000)]


def snapshot(events, chosen, made_stacks):
    trace, alive, free, top, time_us = [], [], [], 0x7F0000000000, 1_700_000_000_000_000

    def add(action, address, size):
        event = {"action": action, "addr": address, "size": size, "stream": 0, "time_us": time_us,
                 "compile_context": "N/A", "user_metadata": ""}
        if made_stacks:
            event["frames"] = list(chosen.choice(made_stacks))
        trace.append(event)

    while len(trace) < events:
        time_us += chosen.randrange(1, 50)
        if alive and (len(alive) > ALIVE or chosen.random() < 0.48):
            address, size = alive.pop(chosen.randrange(len(alive)))
            add("free_requested", address, size)
            add("free_completed", address, size)
            free.append(address)
            continue
        if free and chosen.random() < 0.9:
            address = free.pop()
        else:
            address, top = top, top + SEGMENT
        alive.append((address, 512 * chosen.randrange(1, 4000)))
        add("alloc", *alive[-1])
    segments = [{"device": 0, "address": address, "total_size": SEGMENT, "allocated_size": size, "active_size": size,
                 "requested_size": size, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
                 "is_expandable": False, "frames": [],
                 "blocks": [{"address": address, "size": size, "requested_size": size, "state": "active_allocated",
                             "frames": []},
                            {"address": address + size, "size": SEGMENT - size, "requested_size": 0,
                             "state": "inactive", "frames": []}]} for address, size in alive]
    return {"segments": segments, "device_traces": [trace], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""},
            "external_annotations": []}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", metavar="EVENTS", type=int)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--stacks", action="store_true")
    options = parser.parse_args()
    seeded = random.Random(1)
    made = snapshot(options.events, seeded, stacks(seeded) if options.stacks else None)
    with open(options.file, "wb") as file:
        pickle.dump(made, file, 4)
