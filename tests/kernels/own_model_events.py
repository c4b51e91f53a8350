"""Allocator events of exported modules against those of eager PyTorch; a part of own_model_parity.py, which exports them.

Each module of own_models.py and own_nets.py is run here in Python under torch.profiler, forward and
backward, and by the engine from its .pt2 on the CPU, with data and without. The engine's two must agree
event by event: each block that is taken or let go of, its bytes and its operator. PyTorch's must take
the same blocks in the same order. It lets go of them at other times: a local variable of Python keeps a
tensor to the end of its function or to its next value, the graph to its last use. Buffers that the
threads of a flash backward make for themselves are left out on both sides.
"""

import json
import subprocess

# Its threads make a buffer each when they get work, so how many live at once is not the same twice.
FLASH_BACKWARD = "aten::_scaled_dot_product_flash_attention_for_cpu_backward"
# The file holds the operators of a forward, so not a backward of Python's own.
OTHER_BACKWARD = ("own_backward",)


def without_own_buffers(memory, around, inside):
    """Bytes of the blocks that are taken, but for those that a flash backward itself lets go of again."""
    def within(one, spans):
        return any(begin <= one.start_ns() <= end for begin, end in spans)

    left_out = []
    for span in around:
        living = []
        for one in memory:
            if not within(one, [span]):
                continue
            if one.nbytes() > 0:
                living.append(one)
                continue
            freed = next((block for block in reversed(living) if block.nbytes() == -one.nbytes()), None)
            if freed is None:
                continue
            living.remove(freed)
            if not within(freed, inside):
                left_out.append(freed)
    return [one.nbytes() for one in memory if one.nbytes() > 0 and one not in left_out]


def python_blocks(torch, module, inputs, loss_of):
    """Bytes of every block of a second step, in order: forward with its loss, backward."""
    for _ in range(2):
        module.zero_grad(set_to_none=True)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                    profile_memory=True) as profile:
            with torch.profiler.record_function("forward"):
                loss = loss_of(module(*inputs))
            with torch.profiler.record_function("backward"):
                loss.backward()
        del loss
    events = list(profile.profiler.kineto_results.events())
    memory = [one for one in events if one.name() == "[memory]"]

    def spans(name):
        return [(one.start_ns(), one.start_ns() + one.duration_ns()) for one in events
                if one.name() == name]

    parts = {}
    for part in ("forward", "backward"):
        (begin, end), = spans(part)
        parts[part] = without_own_buffers([one for one in memory if begin <= one.start_ns() <= end],
                                          spans(FLASH_BACKWARD), spans("aten::clone"))
    return parts


def engine_blocks(events):
    """The same of a dump's second step."""
    taken = [one for one in events if one["bytes"] > 0 and one["step"] == 1]
    return {"forward": [one["bytes"] for one in taken if one["phase"] in ("forward", "loss")],
            "backward": [one["bytes"] for one in taken if one["phase"] == "backward"]}


def first_difference(name, one, other, shown):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    if at == len(one) == len(other):
        return []
    around = slice(max(0, at - 2), at + 6)
    return [f"{name}: {shown[0]} and {shown[1]} part at block {at} of {len(one)} and {len(other)}: "
            f"{one[around]} and {other[around]}"]


def compare(torch, name, module, inputs, dump):
    if "measured" not in dump:
        return [f"{name}: {dump['error']}"], 0
    key = [(one["bytes"], one["op"]) for one in dump["measured"]]
    problems = []
    if "error" in dump:
        problems.append(f"{name}: {dump['error']}")
    else:
        found = [(one["bytes"], one["op"]) for one in dump["predicted"]]
        problems += first_difference(name, key, found, ("run", "dry run"))
        if not 0 <= dump["predicted_peak"] - dump["measured_peak"] <= dump["explained"]:
            problems.append(f"{name}: peak {dump['measured_peak']}, predicted {dump['predicted_peak']}")

    tokens = any(one.dtype == torch.long for one in inputs)
    with torch.no_grad():
        rows = module(*inputs).numel()
    targets = torch.zeros(rows, dtype=torch.long)

    def loss_of(output):
        if output.dim() == 0:
            return output
        if not tokens:
            return output.mean()
        logits = output.reshape(-1, output.size(-1))
        return torch.nn.functional.cross_entropy(logits, targets[:logits.size(0)])

    python = python_blocks(torch, module, inputs, loss_of)
    engine = engine_blocks(dump["measured"])
    parts = ("forward",) if name in OTHER_BACKWARD else ("forward", "backward")
    for part in parts:
        problems += first_difference(f"{name} {part}", python[part], engine[part],
                                     ("Python", "the engine"))
    return problems, len(key)


def compare_all(torch, event_dump, every, folder):
    """(problems, how many events were compared) of modules whose files are in the folder."""
    specs = [{"workload": "own_model", "model": str(folder / f"{name}.pt2"), "backend": "auto",
              "pass": "forward+backward", "B": inputs[0].shape[0], "T": inputs[0].shape[1]}
             for name, _, inputs, _ in every]
    (folder / "event_specs.json").write_text(json.dumps(specs), encoding="utf-8")
    subprocess.run([event_dump, folder / "event_specs.json", folder / "events"], check=True)
    problems, events = [], 0
    for i, (name, module, inputs, _) in enumerate(every):
        dump = json.loads((folder / "events" / f"{i}.json").read_text(encoding="utf-8"))
        found, count = compare(torch, name, module, inputs, dump)
        problems += found
        events += count
    return problems, events
