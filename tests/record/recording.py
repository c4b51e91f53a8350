"""Reads a recording (core/run/recording.h) by itself, apart from the program, for comparisons."""

import dataclasses
import json
import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAGIC = b"tensorscope recording 1\n"
SLICE, MEMORY, LAUNCH = 1, 2, 3
ALLOC, FREED = 0, 2
GPU_STREAM = 4  # a kind of track
PHASES = ("setup", "forward", "loss", "backward", "optimizer", "idle")
CATEGORIES = ("parameter", "optimizer_state", "gradient", "input", "activation", "temporary", "unknown")
OWNER = 9


@dataclasses.dataclass
class Slice:
    track: int
    depth: int
    begin: int
    end: int
    name: str
    module: str
    shapes: str


@dataclasses.dataclass
class Event:
    time: int
    address: int
    bytes: int
    op: str
    module: str
    step: int
    action: int
    phase: str
    category: str


class Recording:
    """header, slices, memory: every record of the file in its order."""

    def __init__(self, path):
        content = pathlib.Path(path).read_bytes()
        assert content.startswith(MAGIC)
        sizes = struct.unpack_from("<QQQ", content, len(MAGIC))
        begin = len(MAGIC) + 24
        self.header = json.loads(content[begin:begin + sizes[0]])
        self._bytes, self._at = content[begin + sizes[0]:], 0
        assert len(self._bytes) == sizes[1]
        self.slices, self.memory = [], []
        self._read([""] + self.header["strings"])

    def _number(self):
        value = shift = 0
        while True:
            byte = self._bytes[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def _after(self, before):
        coded = self._number()
        return before + ((coded >> 1) ^ -(coded & 1))

    def _read(self, words):
        slice_time = memory_time = address = 0
        number = self._number
        while self._at < len(self._bytes):
            kind = number()
            if kind == SLICE:
                track, depth = number(), number()
                slice_time = self._after(slice_time)
                end = slice_time + number()
                name, module, shapes = words[number()], words[number()], words[number()]
                number(), number()
                self.slices.append(Slice(track, depth, slice_time, end, name, module, shapes))
            elif kind == MEMORY:
                memory_time, address = self._after(memory_time), self._after(address)
                size, op, module = number(), words[number()], words[number()]
                step, action = number() - 1, number()
                phase, category = PHASES[number()], CATEGORIES[number()]
                number()
                self.memory.append(Event(memory_time, address & (1 << 64) - 1, size, op, module, step,
                                         action, phase, category))
            else:
                assert kind == LAUNCH, kind
                for _ in range(10):
                    number()

    def changes(self):
        """(bytes, event) of every block that is taken, and with a minus of every one let go of."""
        return [(one.bytes if one.action == ALLOC else -one.bytes, one) for one in self.memory
                if one.action in (ALLOC, FREED)]


def environment():
    """For a Python that finds the package and its library."""
    folders = [str(ROOT / "python"), str(ROOT / "tests" / "kernels"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders)), "PYTHONWARNINGS": "ignore",
            "TENSORSCOPE_ENGINE_DIR": os.environ["TENSORSCOPE_ENGINE_DIR"]}


def record(script, out, *options, arguments=(), python=sys.executable, **named):
    """The finished process of `python -m tensorscope record`."""
    command = [str(python), "-m", "tensorscope", "record", "--out", str(out), *options, str(script),
               *arguments]
    return subprocess.run(command, env=environment(), cwd=pathlib.Path(script).parent, text=True,
                          capture_output=True, timeout=300, **named)
