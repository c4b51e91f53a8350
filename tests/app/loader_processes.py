"""loader_processes.py TENSORSCOPE: workers of the loader that are processes load what threads load.

Batches come in shared memory or through a pipe; a worker that is killed is named with its process, counted, and its
batch is made by another one, also when none is left.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

LONGEST = 120
IMAGES = ["images", "samples=24", "batch=4", "batches=9", "step_ms=0", "image_width=40", "image_height=32", "side=16"]
TOKENS = ["tokens", "samples=64", "batch=4", "batches=9", "step_ms=0", "context=128"]


def load(program, *words):
    ended = subprocess.run([program, "loader", *words, "--json"], capture_output=True, text=True, timeout=LONGEST,
                           check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{words}: exit code {ended.returncode}: {ended.stderr}")
    return json.loads(ended.stdout)["points"][-1]


def alike(program):
    problems = []
    for words in (IMAGES, TOKENS, [*IMAGES, "broken=2", "sharded=1"], [*IMAGES, "mapped=1"],
                  [*IMAGES, "preload=1", "memory_mib=1"]):
        threads = load(program, *words, "workers=2")["figures"]
        for piped in (0, 1):
            found = load(program, *words, "workers=2", "processes=1", f"piped={piped}")
            figures = found["figures"]
            for name in ("left_out", "bytes_read", "padding"):
                # Processes have caches of their own: they read more.
                if name == "bytes_read" and "memory_mib=1" in words:
                    continue
                if figures.get(name) != threads.get(name):
                    problems.append(f"{words}, piped={piped}: {name} {figures.get(name)}, {threads.get(name)} by threads")
            if not (figures["handover"] > 0 and figures["handed"] > 0 and figures["workers_memory"] > 0):
                problems.append(f"{words}, piped={piped}: nothing was handed over: {figures}")
            if threads["handover"] != 0 or figures["ended_workers"] != 0:
                problems.append(f"{words}, piped={piped}: handover {threads['handover']} by threads, "
                                f"{figures['ended_workers']} workers ended")
    return problems


def dying(program):
    """Two of three kill themselves; and all of two, so that the steps' thread loads.

    A worker ends at its second batch. Batches go to the worker that asks first: on a busy machine others may take all
    of a few, so there are more until each has had two.
    """
    problems = []
    for workers, dies in ((3, 2), (2, 2)):
        for batches in (9, 100, 1000, 10000):
            found = load(program, *IMAGES, f"batches={batches}", f"workers={workers}", f"dying_workers={dies}",
                         "processes=1")
            said = [fault for fault in found["faults"] if "was ended by signal 9" in fault]
            if len(said) == dies or len(said) != found["figures"]["ended_workers"]:
                break
        if len(said) != dies or found["figures"]["ended_workers"] != dies:
            problems.append(f"{dies} of {workers} end: {found['faults']}, {found['figures']['ended_workers']} counted")
    return problems


def own_memory(program):
    """The memory of workers is theirs alone, also where threads have filled that of the program before."""
    words = ["images", "samples=64", "batch=32", "batches=6", "step_ms=0", "workers=2", "piped=1"]
    alone = load(program, *words, "processes=1")["figures"]["workers_memory"]
    after = load(program, *words, "--over", "processes=0,1")["figures"]["workers_memory"]
    return [f"workers hold {alone} bytes, after threads {after}"] if after > 1.5 * alone else []


def children(parent):
    found = []
    for process in pathlib.Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
            if process.name.isdigit() and int(fields[1]) == parent and b"--worker" in words and fields[0] != "Z":
                found.append(int(process.name))
        except (OSError, IndexError, ValueError):
            continue
    return found


def killed(program):
    """kill -9 from outside, while steps go on."""
    words = [*IMAGES, "batches=200", "step_ms=20", "workers=2", "processes=1"]
    with subprocess.Popen([program, "loader", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as started:
        end = time.monotonic() + LONGEST
        while len(children(started.pid)) < 2:
            if time.monotonic() > end or started.poll() is not None:
                return [f"no two workers: {started.communicate()[1]}"]
            time.sleep(0.02)
        victim = children(started.pid)[0]
        os.kill(victim, signal.SIGKILL)
        said = started.communicate(timeout=LONGEST)
    if started.returncode != 0:
        return [f"exit code {started.returncode}: {said[1]}"]
    found = json.loads(said[0])["points"][0]
    named = [fault for fault in found["faults"] if f"process {victim}" in fault and "signal 9" in fault]
    if len(named) == 1 and found["figures"]["ended_workers"] == 1:
        return []
    return [f"process {victim} was killed: {found['faults']}, {found['figures']['ended_workers']} ended"]


def main():
    program = sys.argv[1]
    problems = alike(program) + dying(program) + own_memory(program) + killed(program)
    print("\n".join(problems) or "processes load what threads load")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
