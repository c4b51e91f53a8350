"""key_averages.py PROGRAM: the table of operators agrees with torch.profiler's.

The same model runs under the program and, written in PyTorch's Python with the same operators, under
torch.profiler; the calls of every operator and the FLOPs of the matrix products of one step are
compared, the activations kept for the backward with the bytes that autograd saves, as its
saved_tensors_hooks see them, and the number of parameters of a GPT-2 with that of torch.nn's modules. Times are two runs' own and only printed. Without torch 2.11 the test
is skipped (exit code 77).
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "kernels"))
from references import import_torch  # noqa: E402

# Their calls depend on how autograd and the profiler put things, not on the model.
PLUMBING = {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::fill_", "aten::ones_like",
            "aten::detach", "aten::zeros", "aten::zero_", "aten::to", "aten::_to_copy",
            "aten::result_type", "aten::resolve_conj", "aten::resolve_neg", "aten::as_strided",
            "aten::ones", "aten::add_", "aten::copy_", "aten::item", "aten::_local_scalar_dense"}


def mlp(torch, spec):
    d, ff = spec["d_model"], spec["d_ff"]
    up, down = torch.nn.Linear(d, ff), torch.nn.Linear(ff, d)
    x = torch.randn(spec["B"], spec["T"], d, requires_grad=True)
    leaves = [*up.parameters(), *down.parameters(), x]

    def step():
        for tensor in leaves:
            tensor.grad = None
        output = down(torch.nn.functional.gelu(up(x)))
        (output * output).mean().backward()

    return step, leaves


def attention(torch, spec):
    shape = (spec["B"], spec["heads"], spec["T"], spec["d_head"])
    q, k, v = (torch.randn(shape, requires_grad=True) for _ in range(3))
    mask = torch.ones(spec["T"], spec["T"], dtype=torch.bool).triu(1)
    leaves = (q, k, v, mask)

    def step():
        for tensor in (q, k, v):
            tensor.grad = None
        scores = torch.matmul(q, k.transpose(-2, -1))
        scores = torch.div(scores, math.sqrt(spec["d_head"]))
        if spec["causal"]:
            scores = torch.masked_fill(scores, mask, float("-inf"))
        output = torch.matmul(torch.softmax(scores, -1), v)
        (output * output).mean().backward()

    return step, leaves


def sdpa(torch, spec):
    shape = (spec["B"], spec["heads"], spec["T"], spec["d_head"])
    q, k, v = leaves = [torch.randn(shape, requires_grad=True) for _ in range(3)]

    def step():
        for tensor in (q, k, v):
            tensor.grad = None
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
            output = torch.nn.functional.scaled_dot_product_attention(q, k, v,
                                                                      is_causal=spec["causal"])
        (output * output).mean().backward()

    return step, leaves


def naive(torch, q, k, v, mask):
    scores = torch.div(torch.matmul(q, k.transpose(-2, -1)), math.sqrt(q.shape[-1]))
    return torch.matmul(torch.softmax(torch.masked_fill(scores, mask, float("-inf")), -1), v)


def flash(torch, q, k, v, _):
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def gpt2(torch, spec):
    """A small GPT-2 of torch.nn's own modules: LayerNorm, biases, learned positions, a tied head."""
    nn, functional = torch.nn, torch.nn.functional
    d, heads, length = spec["d_model"], spec["heads"], spec["T"]
    attend = flash if spec["backend"] == "flash" else naive
    tokens, targets = (torch.randint(spec["vocab"], (spec["B"], length)) for _ in range(2))
    mask = torch.ones(length, length, dtype=torch.bool).triu(1)
    embedding, positions = nn.Embedding(spec["vocab"], d), nn.Parameter(torch.randn(length, d))
    blocks = [nn.ModuleList((nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d), nn.LayerNorm(d),
                             nn.Linear(d, spec["d_ff"]), nn.Linear(spec["d_ff"], d)))
              for _ in range(spec["layers"])]
    last = nn.LayerNorm(d)
    parameters = [*nn.ModuleList([embedding, last, *blocks]).parameters(), positions]

    def step():
        for parameter in parameters:
            parameter.grad = None
        x = embedding(tokens) + positions
        for norm1, qkv, out, norm2, up, down in blocks:
            q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2)
                       for part in qkv(norm1(x)).split_with_sizes([d, d, d], -1))
            x = x + out(attend(torch, q, k, v, mask).transpose(1, 2).flatten(-2))
            x = x + down(functional.gelu(up(norm2(x))))
        logits = functional.linear(last(x), embedding.weight)
        functional.cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()

    step.parameters = sum(parameter.numel() for parameter in parameters)
    return step, [*parameters, tokens, targets, mask]


GPT2 = {"B": 2, "T": 48, "d_model": 64, "heads": 4, "layers": 3, "d_ff": 192, "vocab": 97,
        "norm": "layernorm", "positions": "learned", "ffn": "gelu", "bias": "true", "tied": "true",
        "fused_qkv": "true"}
MODELS = (
    ("mlp", mlp, {"B": 3, "T": 32, "d_model": 96, "d_ff": 160}),
    ("attention", attention, {"B": 2, "T": 80, "heads": 3, "d_head": 24, "backend": "naive"}),
    ("attention", sdpa, {"B": 2, "T": 80, "heads": 3, "d_head": 24, "backend": "flash"}),
    ("lm", gpt2, {**GPT2, "backend": "naive"}),
    ("lm", gpt2, {**GPT2, "backend": "flash"}),
)


def of_program(program, workload, settings):
    command = [program, "run", workload, "--json", "--operators", "--steps", "3", "--set",
               "pass=forward+backward"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    operators = document["operators"]
    steps = operators["steps"]
    calls = {row["operator"]: row["calls"] / steps for row in operators["by_operator"]}
    times = {row["operator"]: row["self_ms"] / steps for row in operators["by_operator"]}
    return document, calls, times, operators["tree"][0]


def of_profiler(torch, step):
    for _ in range(3):
        step()
    steps = 3
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True,
                                with_flops=True) as profile:
        for _ in range(steps):
            step()
    rows = profile.key_averages()
    calls = {row.key: row.count / steps for row in rows}
    times = {row.key: row.self_cpu_time_total / 1000 / steps for row in rows}
    flops = sum(row.flops for row in rows if row.key in
                ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm")) / steps
    return calls, times, flops


def saved_bytes(torch, step, leaves):
    """Bytes of the storages that autograd saves, each once, without those of the leaves."""
    given = {tensor.untyped_storage().data_ptr() for tensor in leaves}
    saved = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in given:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        step()
    return sum(saved.values())


def main(program):
    torch, reason = import_torch()
    if torch is None:
        print(f"skipped: no Python with torch 2.11 ({reason})")
        return 77
    failed = False
    roofs = tempfile.TemporaryDirectory()  # not compared: measured once
    os.environ["TENSORSCOPE_ROOFS"] = roofs.name
    for workload, make, settings in MODELS:
        document, calls, times, whole = of_program(program, workload, settings)
        spec, flops = document["spec"], whole["flops"]
        step, leaves = make(torch, spec)
        expected, expected_times, expected_flops = of_profiler(torch, step)
        problems = []
        parameters = getattr(step, "parameters", document["parameters"])
        if document["parameters"] != parameters:
            problems.append(f"{document['parameters']} parameters and not {parameters}")
        saved = saved_bytes(torch, step, leaves)
        # The loss itself lives as long, and nobody saves it.
        kept = whole["kept_bytes"] - 4
        if kept != saved:
            problems.append(f"{kept} bytes kept for the backward and not {saved}")
        names = {name for name in set(calls) | set(expected) if name.startswith("aten::")} - PLUMBING
        for name in sorted(names):
            if calls.get(name, 0) != expected.get(name, 0):
                problems.append(f"{name}: {calls.get(name, 0)} calls and not {expected.get(name, 0)}")
        # torch.profiler does not know the FLOPs of fused attention.
        if settings.get("backend") != "flash" and abs(flops - expected_flops) > 1e-6 * flops:
            problems.append(f"{flops} FLOPs and not {expected_flops}")
        failed |= bool(problems)
        print(f"{'FAIL' if problems else 'ok  '} {workload} {settings.get('backend', '')}: "
              f"{len(names)} operators, {flops:.0f} FLOPs, {saved} bytes saved")
        for name in sorted(names, key=lambda n: -times.get(n, 0))[:3]:
            print(f"    {name}: self {times.get(name, 0):.4f} ms, torch.profiler "
                  f"{expected_times.get(name, 0):.4f} ms")
        for problem in problems:
            print("    " + problem)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
