"""The package's answers about files with build(); what a recorded step did; and the program with such a file."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from ready_python import ReadyPython
from recording import ALLOC, FREED, environment

STEPS = 2


def taken_and_freed(recording, step=None):
    """(bytes, operator, place) of every block that a step takes, (-bytes, "", "") of every one that it frees."""
    sizes, events = {}, []
    for one in recording.memory:
        if one.action == ALLOC:
            sizes[one.address] = one.bytes
        if one.step < 0 or one.action not in (ALLOC, FREED):
            continue
        if step is not None and one.step != step:
            continue
        # A number of Python's that meets a tensor is boxed outside of any operator: it has no place on meta.
        place = one.module if one.op else ""
        events.append((one.bytes, one.op, place) if one.action == ALLOC
                      else (-sizes.pop(one.address, 0), "", ""))
    return events


def in_order(events, left_out):
    """Without blocks of these sizes; blocks that are freed one after the other are sorted: autocast keeps its cast
    weights by address."""
    ordered, freed = [], []
    for event in [*events, (0, "", "")]:
        if abs(event[0]) in left_out:
            continue
        if event[0] < 0:
            freed.append(event)
            continue
        ordered += sorted(freed)
        freed = []
        ordered.append(event)
    return ordered


class Served(unittest.TestCase):
    """A case has a folder of its own; all cases ask one process of `python`."""

    python = ()  # its command

    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([*cls.python, "-m", "tensorscope", "own", "serve"], env=environment(),
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.server.stdin.close()  # it ends with that
        if cls.server.wait(60) != 0:
            raise AssertionError("the server failed")
        cls.server.stdout.close()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.answer = self.folder / "answer.json"

    def ask(self, what, file, function="build", compute_capability=0, steps=STEPS, **settings):
        request = {"what": what, "file": str(file), "function": function, "settings": settings, "steps": steps,
                   "compute_capability": compute_capability, "multiprocessors": 108,
                   "out": str(self.folder / f"{what}.recording"),
                   "answer": str(self.answer), "log": str(self.folder / "log")}
        (self.folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        self.answer.unlink(missing_ok=True)
        while self.server.stdout.readline() != "ready\n":
            self.assertIsNone(self.server.poll())
        self.server.stdin.write(f"{self.folder / 'request.json'}\n")
        self.server.stdin.flush()
        while not (line := self.server.stdout.readline()).startswith("ended "):
            self.assertRegex(line, r"^began \d+\n$")
        self.assertTrue(self.answer.exists(), (self.folder / "log").read_text(encoding="utf-8"))
        return json.loads(self.answer.read_text(encoding="utf-8"))


class OwnProgram(Served):
    """The program `path` and files of a case in this Python, which has imported torch already."""

    python = (sys.executable,)
    path = ""
    imported = ()  # besides torch

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ready = ReadyPython(*cls.imported)
        cls.addClassCleanup(cls.ready.end)

    def own(self, text):
        path = self.folder / "own.py"
        path.write_text(text, encoding="utf-8")
        return path

    def program(self, *arguments, **environment_too):
        variables = {**os.environ, "TENSORSCOPE_PYTHON": str(self.ready.python), "XDG_CACHE_HOME": str(self.folder / "cache"),
                     "XDG_CONFIG_HOME": str(self.folder / "config"), **environment_too}
        return subprocess.run([self.path, *map(str, arguments)], env=variables, capture_output=True, text=True,
                              timeout=300, check=False)

    def refused(self, code, words, *arguments, **environment_too):
        ended = self.program(*arguments, **environment_too)
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertIn(words, ended.stderr)
        lines = [line for line in ended.stderr.splitlines() if not line.startswith("tensorscope: note")]
        self.assertEqual(len(lines), 1, ended.stderr)
        return lines[0]

    def wait_for(self, happened):
        for _ in range(3000):
            if happened():
                return
            time.sleep(0.1)
        self.fail("it did not happen")

    def assert_gone(self, process):
        def gone():
            try:
                return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
            except OSError:
                return True
        self.wait_for(gone)
