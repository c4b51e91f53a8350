"""parity.py ENGINE_DUMP [SITE]: the engine computes what PyTorch's Python of the same version does.

For each spec the engine dumps its parameters, inputs, output, loss, gradients and the parameters
after one AdamW step. The same computation is written here in PyTorch's Python, from the same
parameters, and compared twice: in the same dtype, and against fp64. An import of torch is looked
for first where Python finds it, then in SITE; without torch 2.11 the test is skipped (exit code 77).
"""

import json
import pathlib
import subprocess
import sys
import tempfile

THETA = 10000.0
# ||engine - reference|| / ||reference||: against the same dtype, and against fp64.
TOLERANCE = {"fp32": (5e-6, 5e-6), "bf16": (4e-2, 4e-2)}


def import_torch(site):
    try:
        import torch
    except ImportError as first:
        if site is None:
            return None, str(first)
        sys.path.append(site)
        try:
            import torch
        except Exception as second:
            return None, str(second)
    # The set-up unpacks LibTorch without its Python files: what imports then is an empty folder.
    version = getattr(torch, "__version__", "without its Python files")
    if not version.startswith("2.11."):
        return None, f"this Python has torch {version}"
    return torch, None


def attention(torch, q, k, v, causal):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if causal:
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool)
        scores = scores.masked_fill(ones.triu(1), float("-inf"))
    return scores.softmax(-1) @ v


def rms_norm(torch, x, weight):
    wide = x if x.dtype == torch.float64 else x.float()
    return (wide * (wide.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * weight).to(x.dtype)


def turn(torch, x):
    """Rotary positions as a product of complex numbers."""
    length, width = x.shape[-2:]
    exponents = torch.arange(0, width, 2, dtype=torch.float32) / -width
    angles = torch.outer(torch.arange(length, dtype=torch.float32), THETA ** exponents)
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    # The engine keeps the tables in the dtype of the model.
    turns = torch.complex(angles.cos().to(x.dtype).to(wide), angles.sin().to(x.dtype).to(wide))
    pairs = torch.view_as_complex(x.to(wide).unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


def block(torch, p, name, x, spec):
    def heads(tensor):
        return tensor.unflatten(-1, (spec["heads"], -1)).transpose(1, 2)

    h = rms_norm(torch, x, p[f"{name}.norm1.weight"])
    q = turn(torch, heads(h @ p[f"{name}.attn.q_proj.weight"].T))
    k = turn(torch, heads(h @ p[f"{name}.attn.k_proj.weight"].T))
    v = heads(h @ p[f"{name}.attn.v_proj.weight"].T)
    a = attention(torch, q, k, v, spec["causal"]).transpose(1, 2).flatten(-2)
    x = x + a @ p[f"{name}.attn.o_proj.weight"].T
    h = rms_norm(torch, x, p[f"{name}.norm2.weight"])
    gate = torch.nn.functional.silu(h @ p[f"{name}.ffn.w1.weight"].T)
    return x + (gate * (h @ p[f"{name}.ffn.w3.weight"].T)) @ p[f"{name}.ffn.w2.weight"].T


def forward(torch, spec, p, inputs):
    """(output, loss) of the workload on its parameters and inputs, as the engine lists them."""
    kind = spec["workload"]
    if kind == "attention":
        output = attention(torch, *inputs[:3], spec["causal"])
    elif kind == "mlp":
        h = torch.nn.functional.gelu(inputs[-1] @ p["up.weight"].T + p["up.bias"])
        output = h @ p["down.weight"].T + p["down.bias"]
    elif kind == "block":
        output = block(torch, p, "block", inputs[-1], spec)
    else:
        tokens, targets = inputs[-2:]
        x = p["embedding.weight"][tokens]
        for i in range(spec["layers"]):
            x = block(torch, p, f"blocks.{i}", x, spec)
        output = rms_norm(torch, x, p["norm.weight"]) @ p["head.weight"].T
        loss = torch.nn.functional.cross_entropy(output.flatten(0, 1), targets.flatten())
        return output, loss
    return output, output.square().mean()


def read_dump(torch, folder):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    dtypes = {"Float": torch.float32, "BFloat16": torch.bfloat16, "Long": torch.int64,
              "Bool": torch.bool}
    tensors = {}
    for entry in manifest["tensors"]:
        data = bytearray((folder / entry["file"]).read_bytes())
        tensor = torch.frombuffer(data, dtype=dtypes[entry["dtype"]]).reshape(entry["shape"])
        tensors.setdefault(entry["role"], {})[entry["name"]] = tensor
    return tensors, manifest["loss"]


def reference(torch, spec, dump, dtype):
    """Everything the dump has, computed here with all floating tensors in `dtype`."""
    def leaf(tensor):
        if not tensor.is_floating_point():
            return tensor
        return tensor.detach().to(dtype).clone().requires_grad_()

    p = {name: leaf(tensor) for name, tensor in dump.get("parameter", {}).items()}
    inputs = [leaf(tensor) for tensor in dump["input"].values()]
    output, loss = forward(torch, spec, p, inputs)
    loss.backward()
    found = {("output", "output"): output.detach(), ("loss", "loss"): loss.detach()}
    found.update({("gradient", name): tensor.grad for name, tensor in p.items()})
    for name in dump.get("input_gradient", {}):
        found["input_gradient", name] = inputs[int(name)].grad
    return found


def relative_error(torch, engine, expected):
    engine, expected = engine.double(), expected.double()
    return float((engine - expected).norm() / expected.norm())


def compare(torch, spec, folder):
    """Lines of what differs too much, and the largest errors."""
    dump, loss = read_dump(torch, folder)
    dump["loss"] = {"loss": torch.tensor(loss, dtype=torch.float64)}
    problems, largest = [], [0.0, 0.0]
    same = next(iter(dump["output"].values())).dtype
    for which, dtype in enumerate((same, torch.float64)):
        for (role, name), expected in reference(torch, spec, dump, dtype).items():
            error = relative_error(torch, dump[role][name], expected)
            largest[which] = max(largest[which], error)
            if not error <= TOLERANCE[spec["dtype"]][which]:
                problems.append(f"{role} {name}: {error:.1e} against {dtype}")
    largest.append(compare_optimizer(torch, dump, problems))
    return problems, largest


def compare_optimizer(torch, dump, problems):
    largest = 0.0
    for name, before in dump.get("parameter", {}).items():
        if name not in dump.get("updated", {}):
            continue
        parameter = torch.nn.Parameter(before.clone())
        parameter.grad = dump["gradient"][name].clone()
        torch.optim.AdamW([parameter], lr=3e-4, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.1,
                          fused=True).step()
        error = relative_error(torch, dump["updated"][name], parameter.detach())
        largest = max(largest, error)
        if not error <= 1e-6:
            problems.append(f"updated {name}: {error:.1e}")
    return largest


def specs():
    small = {"B": 2, "T": 48, "heads": 3, "d_head": 16, "d_model": 48, "d_ff": 80, "layers": 2,
             "vocab": 101, "seed": 7}
    for dtype in ("fp32", "bf16"):
        for backend in ("naive", "math", "flash", "auto"):
            for causal in (True, False):
                yield dict(small, workload="attention", dtype=dtype, backend=backend, causal=causal)
            yield dict(small, workload="block", dtype=dtype, backend=backend)
            yield dict(small, workload="lm", dtype=dtype, backend=backend)
        yield dict(small, workload="mlp", dtype=dtype)
        yield dict(small, workload="lm", dtype=dtype, T=200, d_model=192, heads=4, d_ff=512,
                   layers=4, vocab=997)


def main(engine_dump, site=None):
    torch, reason = import_torch(site)
    if torch is None:
        print(f"skipped: no Python with torch 2.11 ({reason})")
        return 77
    failed = 0
    for spec in specs():
        spec.setdefault("causal", True)
        has_parameters = spec["workload"] != "attention"
        spec["pass"] = "full_step" if has_parameters else "forward+backward"
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
            subprocess.run([engine_dump, folder / "spec.json", folder], check=True)
            problems, largest = compare(torch, spec, folder)
        failed += bool(problems)
        label = (f"{spec['workload']} {spec['dtype']} {spec.get('backend', '')} T={spec['T']} "
                 f"{'causal' if spec['causal'] else 'full'}")
        errors = ", ".join(f"{error:.1e}" for error in largest)
        print(f"{'FAIL' if problems else 'ok  '} {label}: same dtype, fp64, AdamW: {errors}")
        for problem in problems:
            print("    " + problem)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
