"""script_events.py EVENT_DUMP: a recorded script has the allocator events that it has alone.

cs336.py is run three times: recorded by the package; alone, under torch.profiler, whose allocator events
are counted by PyTorch itself; and its model by the engine from the .pt2, for real and without data. In
every step the recording and the profiler must have the same events, one after the other: bytes taken and
bytes let go of. Forward and backward of the recording must take the blocks that the .pt2's prediction
has, in the same order, with the same operator, module and source line. What differs there by nature: a
script lets go of its tensors where Python does (docs/own_models.md).

Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import torch_or_skip  # noqa: E402

STEPS = 4


def profiled_steps(torch):
    """Bytes of every allocator event of each step, by torch.profiler, in a run without a recorder."""
    import cs336
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                profile_memory=True) as profile:
        cs336.train(STEPS)
    events = list(profile.profiler.kineto_results.events())
    memory = sorted((one for one in events if one.name() == "[memory]"), key=lambda one: one.start_ns())
    spans = sorted((one.start_ns(), one.start_ns() + one.duration_ns()) for one in events
                   if one.name() == "one step")
    return [[one.nbytes() for one in memory if begin <= one.start_ns() <= end and one.nbytes()]
            for begin, end in spans]


def recorded_steps(recording):
    spans = sorted((one.begin, one.end) for one in recording.slices if one.name == "one step")
    return [[(size, one) for size, one in recording.changes() if begin <= one.time <= end]
            for begin, end in spans]


def first_difference(name, one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    if at == len(one) == len(other):
        return []
    around = slice(max(0, at - 2), at + 4)
    return [f"{name}: they part at {at} of {len(one)} and {len(other)}: {one[around]} and {other[around]}"]


def predicted(torch, event_dump, folder):
    """The blocks that the .pt2's second step takes, for real and without data."""
    import cs336
    import own_models
    torch.manual_seed(1)
    made = next(one for one in own_models.modules() if one[0] == "transformer")
    own_models.write_all(folder, [made])
    spec = {"workload": "own_model", "model": str(folder / "transformer.pt2"), "backend": "auto",
            "pass": "forward+backward", "B": cs336.BATCH, "T": cs336.LENGTH, "loss": "cross_entropy"}
    (folder / "specs.json").write_text(json.dumps([spec]), encoding="utf-8")
    subprocess.run([event_dump, folder / "specs.json", folder / "events"], check=True)
    dump = json.loads((folder / "events" / "0.json").read_text(encoding="utf-8"))
    taken = [one for one in dump["predicted"] if one["bytes"] > 0 and one["step"] == 1]
    return {part: [(one["bytes"], one["op"], place(one["module"])) for one in taken
                   if one["phase"] in phases]
            for part, phases in (("forward", ("forward", "loss")), ("backward", ("backward",)))}


def place(module):
    """Module and line; of the loss only that it is none of the model's: the script has a line of its own."""
    return "" if module == "loss" or module.startswith("@ cs336.py") or "Transformer" in module else module


def main():
    torch = torch_or_skip()
    sys.path.insert(0, str(HERE))
    from recording import Recording, record
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / "cs336.recording"
        ended = record(HERE / "cs336.py", out, arguments=[str(STEPS)])
        if ended.returncode != 0:
            print(ended.stdout + ended.stderr)
            return 1
        recording = Recording(out)
        recorded, profiled = recorded_steps(recording), profiled_steps(torch)
        if len(recorded) != STEPS or len(profiled) != STEPS:
            problems.append(f"{len(recorded)} steps recorded, {len(profiled)} profiled, {STEPS} made")
        for step, (one, other) in enumerate(zip(recorded, profiled)):
            problems += first_difference(f"step {step}", [size for size, _ in one], other)
        expected = predicted(torch, sys.argv[1], folder)
        found = {part: [(size, one.op, place(one.module)) for size, one in recorded[1]
                        if size > 0 and one.phase == part] for part in expected}
        for part in expected:
            problems += first_difference(f"{part} and the prediction", found[part], expected[part])
        events = sum(map(len, profiled))
        blocks = sum(map(len, expected.values()))
    print("\n".join(problems) or f"{events} events agree with the profiler's, {blocks} blocks with the prediction")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
