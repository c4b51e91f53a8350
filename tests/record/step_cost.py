"""step_cost.py [TURNS]: what recording adds to a step of a script, beside torch.profiler; run by hand.

Processes take turns: the training loop of cs336.py alone, recorded by the package, recorded with --live
for a listener in this process, and under torch.profiler(record_shapes=True, profile_memory=True). A process
makes STEPS steps and tells the mean of all but the first ones, in processor time of all its threads, the
recorder's own included: other programs on the machine do not count. The recorder's thread works in every
third step or so, so that a median would leave it out. Computed on one thread. Printed: the medians of the
turns, and what each adds to a step. That leaves out what comes at the end: the profiler makes its events into
objects, the package writes its file. So the processor time of the whole processes is printed, too, per step.
TENSORSCOPE_ENGINE_DIR says where the recorder is.
"""

import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
STEPS, FIRST = 60, 10


def steps(profiled):
    sys.path.insert(0, str(HERE))
    import torch
    from torch.optim import optimizer
    import cs336
    torch.set_num_threads(1)
    times = []
    begin = time.process_time()

    def note(*_):
        nonlocal begin
        now = time.process_time()
        times.append(now - begin)
        begin = now
    optimizer.register_optimizer_step_post_hook(note)
    if profiled:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                    record_shapes=True, profile_memory=True):
            cs336.train(STEPS)
    else:
        cs336.train(STEPS)
    print("mean", 1e3 * statistics.mean(times[FIRST:]))


def listen(folder):
    """Takes what scripts send, as a window would, and throws it away."""
    os.makedirs(f"{folder}/tensorscope", mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{folder}/tensorscope/window-{os.getpid()}")
    listener.listen()

    def take():
        while True:
            script, _ = listener.accept()
            while script.recv(1 << 20):
                pass
    threading.Thread(target=take, daemon=True).start()


def one(kind, folder):
    from recording import environment
    recorded = ["-m", "tensorscope", "record", "--out", f"{folder}/a.recording"]
    words = {"recorded": recorded, "live": [*recorded, "--live"]}.get(kind, [])
    command = [sys.executable, *words, __file__, "--steps", kind]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = subprocess.run(command, env={**environment(), "XDG_RUNTIME_DIR": folder}, capture_output=True,
                           text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "no open window" in found.stderr:
        raise RuntimeError("the listener was not found")
    out = found.stdout
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return float(out.split()[out.split().index("mean") + 1]), 1e3 * spent / STEPS


def tell(what, found):
    """What each kind adds to the first one, by the medians of its turns."""
    alone = statistics.median(found["alone"])
    added = {kind: statistics.median(times) - alone for kind, times in found.items()}
    for kind, times in found.items():
        middle = statistics.median(times)
        print(f"{kind}: {middle:.2f} ms {what}, adds {added[kind]:.2f} ms "
              f"({100 * (middle / alone - 1):.0f} %)  " + " ".join(f"{one:.2f}" for one in times))
    for kind in ("recorded", "live"):
        print(f"{kind}: {added[kind] / added['profiled']:.2f} of what the profiler adds")


def main(turns):
    found = {"alone": [], "recorded": [], "live": [], "profiled": []}
    with tempfile.TemporaryDirectory() as folder:
        listen(folder)
        for _ in range(turns):
            for kind, times in found.items():
                times.append(one(kind, folder))
    tell("a step", {kind: [step for step, _ in times] for kind, times in found.items()})
    whole = {kind: [spent for _, spent in times] for kind, times in found.items()}
    tell("of the whole process for a step", whole)


if __name__ == "__main__":
    if "--steps" in sys.argv:
        steps(sys.argv[-1] == "profiled")
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
