"""How tests/gpu/run runs programs within its time and keeps what they found."""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

from figures import load_snapshot, scratch_bytes

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The files that go to another machine, see pack.py.
PACKED = ROOT / "build/gpu"


def build_folder():
    built = ROOT / "build/release"
    return built if (built / "tensorscope").exists() else PACKED


def environment(build):
    """Where the libraries find LibTorch when the folder they were linked with is not here."""
    spec = importlib.util.find_spec("torch")
    variables = dict(os.environ)
    variables["TENSORSCOPE_ENGINE_DIR"] = str(build)
    folders = [build]
    if spec and spec.submodule_search_locations:
        torch = pathlib.Path(list(spec.submodule_search_locations)[0])
        folders += [torch / "lib", *sorted((torch.parent / "nvidia").glob("*/lib"))]
    old = variables.get("LD_LIBRARY_PATH")
    variables["LD_LIBRARY_PATH"] = ":".join([*map(str, folders), *([old] if old else [])])
    return variables


class Checks:
    """Results so far, in files after every check, and the time that is left. Pools may call attempt(),
    add(), execute() and program()."""

    def __init__(self, out, device, seconds, only=()):
        self.out = out
        self.device = device
        self.gpu = None  # its name in the catalogue
        self.end = time.monotonic() + seconds
        self.only = only
        self.results = {"checks": [], "left_out": []}
        self.adding = threading.Lock()
        self.scratch = {}
        self.build = build_folder()
        self.environment = environment(self.build)
        out.mkdir(parents=True, exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tensorscope-gpu-"))
        # Predictions need no GPU: as many at once as there are cores, while it does other things.
        self.pool = concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2))

    def close(self):
        self.pool.shutdown(cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.save()

    def card(self):
        """Its row of the catalogue, with the capability as one number: 90."""
        for row in json.loads((ROOT / "assets/gpus.json").read_text()):
            if self.gpu in (row["name"], *row.get("driver_names", ())):
                return {**row, "capability": round(10 * float(row["compute_capability"]))}
        raise LookupError(f"{self.gpu} is not in the catalogue")

    def wanted(self, name):
        return not self.only or any(part in name for part in self.only)

    def left(self):
        return self.end - time.monotonic()

    def execute(self, command, limit, variables=None):
        """(exit code, output, last line of the errors); 124 past the limit or the end of all."""
        try:
            done = subprocess.run(list(map(str, command)), env=variables, capture_output=True,
                                  text=True, timeout=max(1.0, min(limit, self.left())),
                                  check=False)
        except subprocess.TimeoutExpired as late:
            # Bytes, whatever `text` says.
            return 124, (late.stdout or b"").decode(errors="replace"), f"no end within {limit} s"
        except OSError as problem:
            return 127, "", str(problem)
        lines = done.stderr.strip().splitlines()
        return done.returncode, done.stdout, lines[-1] if lines else ""

    def program(self, *arguments, limit=60):
        """(exit code, document on stdout or None, last line of the errors)"""
        code, output, said = self.execute([self.build / "tensorscope", *arguments], limit,
                                          self.environment)
        try:
            return code, json.loads(output), said
        except json.JSONDecodeError:
            return code, None, said

    def predict(self, arguments):
        """A future of program()."""
        where = ["--cpu"] if self.device == "cpu" else ["--gpu", self.gpu]
        return self.pool.submit(self.program, "predict", *arguments, *where, "--json")

    def attempt(self, name, check, *arguments):
        """The check, if it is wanted and the time is not up; one that breaks does not keep others from
        their turn."""
        if not self.wanted(name):
            return
        if self.left() < 5:
            self.results["left_out"].append(name)
            return
        try:
            check(self, name, *arguments)
        except Exception as problem:  # whatever it is, the checks to come do not depend on it
            self.add(name, False, said=f"{type(problem).__name__}: {problem}")

    def add(self, name, passed, **figures):
        figures = {key: value for key, value in figures.items() if value is not None}
        words = ", ".join(f"{key} {value}" for key, value in figures.items())
        with self.adding:
            self.results["checks"].append({"name": name, "passed": bool(passed), **figures})
            print(f"{'ok  ' if passed else 'FAIL'} {name}: {words}", flush=True)
            self.save()

    def save(self):
        for name, content in (("results", self.results), ("scratch", self.scratch)):
            part = self.out / f"{name}.part"
            part.write_text(json.dumps(content, indent=1) + "\n")
            part.replace(self.out / f"{name}.json")

    def note_scratch(self, folder):
        try:
            found = scratch_bytes(load_snapshot(folder / "snapshot.pickle"))
        except OSError:
            return
        for operator, size in found.items():
            self.scratch[operator] = max(self.scratch.get(operator, 0), size)


def gtest_outcome(output):
    """{"OK": [tests], "FAILED": [...], "SKIPPED": [...]}, of what ran before the output ended."""
    outcome = {"OK": [], "FAILED": [], "SKIPPED": []}
    for word, test in re.findall(r"^\[ *(OK|FAILED|SKIPPED) *\] ([^\s,]+)", output, re.MULTILINE):
        # The summary says some of it once more.
        if "." in test and test not in outcome[word]:
            outcome[word].append(test)
    return outcome
