"""PyTorch's CUDA caching allocator with default settings, a second time and by definition: every
rule is a search through plain lists. It has nothing in common with the program's model but the
description that both follow (c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.11).

allocator_reference.py reserved < PROGRAM.json
    prints for every step of the program [reserved, allocated, served]
    PROGRAM: {"capacity": bytes or null, "steps": [["alloc", id, bytes, stream], ["free", id],
    ["empty"]]}
allocator_reference.py snapshot OUT SEED STEPS KEEP PROTOCOL
    runs a random program, records it as PyTorch does in a ring buffer of KEEP events, writes the
    memory snapshot OUT (pickle of that protocol, or JSON for 0) and prints what a replay of it
    must find: {"segment_allocs", "peak_reserved", "end_reserved"}
"""

import json
import pickle
import random
import sys

KIB, MIB = 1 << 10, 1 << 20


class OutOfMemory(Exception):
    pass


class Block:
    def __init__(self, address, size):
        self.address, self.size = address, size
        self.used, self.requested = False, 0


class Segment:
    def __init__(self, address, size, stream, small):
        self.address, self.size, self.stream, self.small = address, size, stream, small
        self.blocks = [Block(address, size)]

    def is_free(self):
        return len(self.blocks) == 1 and not self.blocks[0].used


def rising_addresses():
    return iter(range(1 << 40, 1 << 60, 1 << 36))


def scattered_addresses(rng):
    """In no order, as a driver gives them, and never the same twice."""
    used = set()
    while True:
        slot = rng.randrange(1 << 20)
        if slot not in used:
            used.add(slot)
            yield 0x7F0000000000 + slot * (64 << 30)


class Device:
    def __init__(self, capacity, addresses):
        self.capacity, self.addresses, self.used = capacity, addresses, 0

    def malloc(self, size):
        if self.capacity is not None and self.used + size > self.capacity:
            return None
        self.used += size
        return next(self.addresses)

    def free(self, size):
        self.used -= size

    def free_bytes(self):
        return (1 << 40) if self.capacity is None else self.capacity - self.used


class Allocator:
    def __init__(self, device, record=lambda *event: None):
        self.device, self.record = device, record
        self.segments = []

    def reserved(self):
        return sum(segment.size for segment in self.segments)

    def allocated(self):
        return sum(b.size for segment in self.segments for b in segment.blocks if b.used)

    @staticmethod
    def rounded(size):
        return max(512, -(-size // 512) * 512)

    @staticmethod
    def segment_size(size):
        if size <= MIB:
            return 2 * MIB
        if size < 10 * MIB:
            return 20 * MIB
        return -(-size // (2 * MIB)) * (2 * MIB)

    def best_fit(self, size, small, stream):
        fitting = [(b.size, b.address, segment, b)
                   for segment in self.segments if segment.small == small
                   and segment.stream == stream
                   for b in segment.blocks if not b.used and b.size >= size]
        return min(fitting, key=lambda found: found[:2])[2:] if fitting else None

    def new_segment(self, size, small, stream):
        bytes_ = self.segment_size(size)
        address = self.device.malloc(bytes_)
        if address is None:
            return None
        segment = Segment(address, bytes_, stream, small)
        self.segments.append(segment)
        self.record("segment_alloc", address, bytes_, stream)
        return segment, segment.blocks[0]

    def malloc(self, bytes_, stream):
        size = self.rounded(bytes_)
        small = size <= MIB
        found = self.best_fit(size, small, stream) or self.new_segment(size, small, stream)
        if found is None:
            self.empty_cache()
            found = self.new_segment(size, small, stream)
        if found is None:
            self.record("oom", self.device.free_bytes(), size, stream)
            raise OutOfMemory
        segment, block = found
        rest = block.size - size
        if rest >= 512 if small else rest > MIB:
            block.size = size
            place = segment.blocks.index(block) + 1
            segment.blocks.insert(place, Block(block.address + size, rest))
        block.used, block.requested = True, bytes_
        self.record("alloc", block.address, bytes_, stream)
        return block.address

    def find(self, address):
        for segment in self.segments:
            for block in segment.blocks:
                if block.address == address and block.used:
                    return segment, block
        raise KeyError(address)

    def request_free(self, address):
        segment, block = self.find(address)
        self.record("free_requested", address, block.requested, segment.stream)

    def complete_free(self, address):
        segment, block = self.find(address)
        self.record("free_completed", address, block.requested, segment.stream)
        block.used = False
        place = segment.blocks.index(block)
        for left in (place, place - 1):
            if 0 <= left < len(segment.blocks) - 1:
                one, two = segment.blocks[left:left + 2]
                if not one.used and not two.used:
                    one.size += two.size
                    del segment.blocks[left + 1]

    def empty_cache(self):
        # Large ones first, as the allocator keeps its pools.
        for small in (False, True):
            for segment in [s for s in self.segments if s.small == small and s.is_free()]:
                self.segments.remove(segment)
                self.device.free(segment.size)
                self.record("segment_free", segment.address, segment.size, segment.stream)


def run_program(program):
    allocator = Allocator(Device(program["capacity"], rising_addresses()))
    addresses, answers = {}, []
    for step in program["steps"]:
        served = True
        if step[0] == "alloc":
            try:
                addresses[step[1]] = allocator.malloc(step[2], step[3])
            except OutOfMemory:
                served = False
        elif step[0] == "free":
            address = addresses.pop(step[1], None)
            served = address is not None
            if served:
                allocator.complete_free(address)
        else:
            allocator.empty_cache()
        answers.append([allocator.reserved(), allocator.allocated(), served])
    return answers


def random_size(rng):
    return rng.choice([
        lambda: rng.randrange(1, 2 * KIB),
        lambda: rng.randrange(1, 200 * KIB),
        lambda: rng.randrange(1, 3 * MIB),
        lambda: rng.randrange(MIB, 12 * MIB),
        lambda: rng.randrange(10 * MIB, 80 * MIB),
        lambda: MIB + rng.choice([-512, -1, 0, 1, 512]),
        lambda: 10 * MIB + rng.choice([-512, -1, 0, 1, 512]),
        lambda: rng.choice([19, 39, 59]) * MIB + rng.randrange(0, MIB),
        lambda: rng.choice([4, 8, 16, 32]) * MIB,
    ])()


class Recording:
    """The events that a recorder of the given length keeps, with the bytes reserved at each event."""

    def __init__(self, keep):
        self.keep, self.events, self.reserved, self.now = keep, [], [], 0

    def record(self, action, address, size, stream):
        if action == "segment_alloc":
            self.now += size
        elif action == "segment_free":
            self.now -= size
        event = {"action": action, "device_free" if action == "oom" else "addr": address,
                 "size": size, "stream": stream, "time_us": 1_700_000_000_000_000 + len(self.events),
                 "compile_context": "N/A", "user_metadata": ""}
        if action == "alloc":
            event["frames"] = [{"name": "f", "filename": "program.py", "line": size % 97}]
        self.events.append(event)
        self.reserved.append(self.now)

    def kept(self):
        return self.events[-self.keep:]

    def truth(self):
        first = max(0, len(self.events) - self.keep)
        before = self.reserved[first - 1] if first > 0 else 0
        return {"segment_allocs": sum(e["action"] == "segment_alloc" for e in self.kept()),
                "peak_reserved": max([before] + self.reserved[first:]),
                "end_reserved": self.reserved[-1]}


def random_program(allocator, recording, rng, steps):
    live, pending = [], []
    for _ in range(steps):
        dice = rng.random()
        if dice < 0.5:
            try:
                live.append(allocator.malloc(random_size(rng), rng.choice([0, 0, 0, 7, 5])))
            except OutOfMemory:
                rng.shuffle(live)
                while len(live) > 5:
                    allocator.request_free(live[-1])
                    allocator.complete_free(live.pop())
        elif dice < 0.93 and live:
            address = live.pop(rng.randrange(len(live)) if rng.random() < 0.5 else -1)
            allocator.request_free(address)
            # Another stream may still use it.
            if rng.random() < 0.1:
                pending.append(address)
            else:
                allocator.complete_free(address)
        elif dice < 0.985 and pending:
            allocator.complete_free(pending.pop(0))
        elif dice < 0.99:
            allocator.empty_cache()
        elif dice < 0.995:
            recording.record("snapshot", 0, allocator.allocated(), 0)
    return pending


def write_snapshot(path, seed, steps, keep, protocol):
    rng = random.Random(seed)
    recording = Recording(keep)
    capacity = rng.choice([None, 600 * MIB, 1500 * MIB])
    allocator = Allocator(Device(capacity, scattered_addresses(rng)), recording.record)
    pending = random_program(allocator, recording, rng, steps)

    def block(b):
        state = ("active_pending_free" if b.address in pending else "active_allocated")
        return {"address": b.address, "size": b.size, "requested_size": b.requested,
                "state": state if b.used else "inactive", "frames": []}

    snapshot = {
        "segments": [
            {"device": 0, "address": s.address, "total_size": s.size,
             "allocated_size": sum(b.size for b in s.blocks if b.used and b.address not in pending),
             "active_size": sum(b.size for b in s.blocks if b.used),
             "requested_size": sum(b.requested for b in s.blocks if b.used), "stream": s.stream,
             "segment_type": "small" if s.small else "large", "segment_pool_id": (0, 0),
             "is_expandable": False, "frames": [], "blocks": [block(b) for b in s.blocks]}
            for s in sorted(allocator.segments, key=lambda s: s.address)],
        "device_traces": [recording.kept()],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1,
                               "garbage_collection_threshold": 0.0, "expandable_segments": False},
        "external_annotations": []}
    if protocol == 0:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(snapshot, file)
    else:
        with open(path, "wb") as file:
            pickle.dump(snapshot, file, protocol=protocol)
    return recording.truth()


if __name__ == "__main__":
    if sys.argv[1] == "reserved":
        json.dump(run_program(json.load(sys.stdin)), sys.stdout)
    else:
        json.dump(write_snapshot(sys.argv[2], *map(int, sys.argv[3:7])), sys.stdout)
