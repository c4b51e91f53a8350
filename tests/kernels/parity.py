"""parity.py ENGINE_DUMP [SITE]: the engine computes what PyTorch's Python of the same version does.

For each spec the engine dumps its parameters, inputs, output, loss, gradients, and after five steps
the losses, gradient norms, learning rates, loss scales and parameters. The tokens that pass
generate makes are compared one by one. The same is written here in PyTorch's Python, from the same parameters, with its optimizers, clip_grad_norm_, autocast and
GradScaler, and compared: values and gradients in the same dtype and against fp64, the five steps in
the same dtype. An import of torch is looked for first where Python finds it, then in SITE; without
torch 2.11 the test is skipped (exit code 77).
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

THETA = 10000.0
STEPS = 5
# ||engine - reference|| / ||reference||: values and gradients against the same dtype and against
# fp64; losses and parameters of five steps.
TOLERANCE = {"fp32": (5e-6, 5e-6, 1e-5), "bf16": (4e-2, 4e-2, 2e-2), "fp16": (2e-2, 3e-2, 2e-3),
             "autocast": (4e-2, 6e-2, 2e-2)}


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
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if causal:
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool)
        scores = scores.masked_fill(ones.triu(1), float("-inf"))
    return scores.softmax(-1) @ v


def norm(torch, p, name, x, spec):
    weight, bias = p[f"{name}.weight"], p.get(f"{name}.bias")
    if spec["norm"] == "layernorm":
        return torch.nn.functional.layer_norm(x, weight.shape, weight, bias)
    wide = x if x.dtype == torch.float64 else x.float()
    return (wide * (wide.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * weight).to(x.dtype)


def turn(torch, x):
    """Rotary positions as a product of complex numbers."""
    length, width = x.shape[-2:]
    exponents = torch.arange(0, width, 2, dtype=torch.float32) / -width
    angles = torch.outer(torch.arange(length, dtype=torch.float32), THETA ** exponents)
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    # The engine keeps the tables in the dtype of the model; autocast turns in fp32.
    dtype = torch.float32 if torch.is_autocast_enabled("cpu") else x.dtype
    turns = torch.complex(angles.cos().to(dtype).to(wide), angles.sin().to(dtype).to(wide))
    pairs = torch.view_as_complex(x.to(wide).unflatten(-1, (-1, 2)).contiguous())
    turned = torch.view_as_real(pairs * turns).flatten(-2)
    return turned if torch.is_autocast_enabled("cpu") else turned.to(x.dtype)


def linear(torch, p, name, x):
    return torch.nn.functional.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))


def feed_forward(torch, p, name, h, kind):
    if kind == "gelu":
        h = torch.nn.functional.gelu(linear(torch, p, f"{name}.up", h))
        return linear(torch, p, f"{name}.down", h)
    gate = torch.nn.functional.silu(linear(torch, p, f"{name}.w1", h))
    return linear(torch, p, f"{name}.w2", gate * linear(torch, p, f"{name}.w3", h))


def block(torch, p, name, x, spec):
    heads, kv_heads = spec["heads"], spec["kv_heads"] or spec["heads"]
    h = norm(torch, p, f"{name}.norm1", x, spec)
    if spec["fused_qkv"]:
        kv = kv_heads * (x.shape[-1] // heads)
        q, k, v = linear(torch, p, f"{name}.attn.qkv_proj", h).split([x.shape[-1], kv, kv], -1)
    else:
        q, k, v = (linear(torch, p, f"{name}.attn.{which}_proj", h) for which in "qkv")
    q, k, v = (t.unflatten(-1, (n, -1)).transpose(1, 2)
               for t, n in ((q, heads), (k, kv_heads), (v, kv_heads)))
    if spec["positions"] == "rope":
        q, k = turn(torch, q), turn(torch, k)
    a = attention(torch, q, k, v, spec["causal"]).transpose(1, 2).flatten(-2)
    x = x + linear(torch, p, f"{name}.attn.o_proj", a)
    h = norm(torch, p, f"{name}.norm2", x, spec)
    return x + feed_forward(torch, p, f"{name}.ffn", h, spec["ffn"])


def forward(torch, spec, p, inputs):
    """(output, loss) of the workload on its parameters and inputs, as the engine lists them."""
    kind = spec["workload"]
    cross_entropy = torch.nn.functional.cross_entropy
    if kind == "attention":
        output = attention(torch, *inputs[:3], spec["causal"])
    elif kind == "mlp" and spec["mlp"] == "gelu":
        h = torch.nn.functional.gelu(linear(torch, p, "up", inputs[-1]))
        output = linear(torch, p, "down", h)
    elif kind == "mlp":
        output = feed_forward(torch, p, "swiglu", inputs[-1], "swiglu")
    elif kind == "weighted_sum":
        output = (inputs[-1] * p["weight"]).sum(-1)
    elif kind == "toy":
        h = linear(torch, p, "fc1", inputs[0]).relu()
        h = torch.nn.functional.layer_norm(h, h.shape[-1:], p["norm.weight"], p["norm.bias"])
        output = linear(torch, p, "fc2", h)
        return output, cross_entropy(output.flatten(0, 1), inputs[1].flatten())
    elif kind == "block":
        output = block(torch, p, "block", inputs[-1], spec)
    else:
        tokens, targets = inputs[-2:]
        x = torch.nn.functional.embedding(tokens, p["embedding.weight"])
        if "positions.weight" in p:
            x = x + p["positions.weight"][: x.shape[1]]
        for i in range(spec["layers"]):
            x = block(torch, p, f"blocks.{i}", x, spec)
        head = p["embedding.weight"] if spec["tied"] else p["head.weight"]
        output = torch.nn.functional.linear(norm(torch, p, "norm", x, spec), head)
        return output, cross_entropy(output.flatten(0, 1), targets.flatten())
    return output, output.square().mean()


def read_dump(torch, folder):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    dtypes = {"Float": torch.float32, "BFloat16": torch.bfloat16, "Half": torch.float16,
              "Long": torch.int64, "Bool": torch.bool}
    tensors = {}
    for entry in manifest["tensors"]:
        data = bytearray((folder / entry["file"]).read_bytes())
        tensor = torch.frombuffer(data, dtype=dtypes[entry["dtype"]]).reshape(entry["shape"])
        tensors.setdefault(entry["role"], {})[entry["name"]] = tensor
    return tensors, manifest


class Reference:
    """The computation with all floating tensors in `dtype`, under autocast if the spec says so."""

    def __init__(self, torch, spec, dump, dtype):
        def leaf(tensor):
            if not tensor.is_floating_point():
                return tensor
            return tensor.detach().to(dtype).clone().requires_grad_()

        self.torch, self.spec = torch, spec
        self.p = {name: leaf(tensor) for name, tensor in dump.get("parameter", {}).items()}
        self.inputs = [leaf(tensor) for tensor in dump["input"].values()]
        # Pass generate: tokens and targets come before what generation is made of.
        kinds = [tensor.dtype == torch.int64 for tensor in dump["input"].values()]
        self.first_tokens = kinds.index(True) if True in kinds else -2
        self.autocast = None
        if dtype is not torch.float64 and spec["autocast"] != "off":
            self.autocast = {"bf16": torch.bfloat16, "fp16": torch.float16}[spec["autocast"]]

    def run(self, micro_batch=0):
        inputs = list(self.inputs)
        if self.spec["workload"] == "lm":
            rows = slice(micro_batch * self.spec["B"], (micro_batch + 1) * self.spec["B"])
            if self.spec["pass"] != "generate":
                inputs[-2:] = [tensor[rows] for tensor in inputs[-2:]]
        with self.torch.autocast("cpu", self.autocast, enabled=self.autocast is not None):
            return forward(self.torch, self.spec, self.p, inputs)

    def once(self, dump):
        """Output, loss and gradients of the first step, as the dump names them."""
        output, _ = self.run()
        total = 0
        for i in range(self.spec["accumulate"]):
            loss = self.run(i)[1] / self.spec["accumulate"]
            loss.backward()
            total += loss.detach()
        found = {("output", "output"): output.detach(), ("loss", "loss"): total}
        found.update({("gradient", name): tensor.grad for name, tensor in self.p.items()})
        for name in dump.get("input_gradient", {}):
            found["input_gradient", name] = self.inputs[int(name)].grad
        return found


def make_optimizer(torch, spec, parameters):
    if spec["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, lr=spec["lr"], momentum=spec["momentum"],
                               weight_decay=spec["weight_decay"], foreach=False)
    how = {"adamw_fused": {"fused": True}, "adamw_foreach": {"foreach": True},
           "adamw_loop": {"foreach": False}}[spec["optimizer"]]
    return torch.optim.AdamW(parameters, lr=spec["lr"], betas=(0.9, 0.999), eps=1e-8,
                             weight_decay=spec["weight_decay"], **how)


def cosine(spec, step):
    """The learning rate of the exercise's schedule."""
    if spec["schedule"] == "constant":
        return spec["lr"]
    warmup, cycle = spec["warmup_steps"], spec["cycle_steps"]
    if step < warmup:
        return spec["lr"] * step / warmup
    way = (step - warmup) / (cycle - warmup)
    return spec["min_lr"] + 0.5 * (1 + math.cos(math.pi * way)) * (spec["lr"] - spec["min_lr"])


def five_steps(torch, spec, dump, dtype):
    """What five steps of training are like: losses, norms, rates, scales and the parameters."""
    model = Reference(torch, spec, dump, dtype)
    optimizer = make_optimizer(torch, spec, model.p.values())
    scaler = torch.amp.GradScaler("cpu", init_scale=float(spec["init_scale"]),
                                  growth_interval=spec["growth_interval"],
                                  enabled=spec["grad_scaler"])
    generator = torch.Generator().manual_seed(spec["seed"])
    found = {"losses": [], "gradient_norms": [], "learning_rates": [], "loss_scales": []}
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = cosine(spec, step)
        optimizer.zero_grad(set_to_none=spec["zero_grad"] == "none")
        for tensor in model.inputs:
            tensor.grad = None
        if spec["corpus"]:
            model.inputs[-2:] = get_batch(torch, spec, generator)
        total = 0.0
        for i in range(spec["accumulate"]):
            loss = model.run(i)[1] / spec["accumulate"]
            scaler.scale(loss).backward()
            total += float(loss.detach())
        found["losses"].append(total)
        found["loss_scales"].append(scaler.get_scale() if spec["grad_scaler"] else 0.0)
        scaler.unscale_(optimizer)
        if spec["clip"] > 0:
            size = torch.nn.utils.clip_grad_norm_(model.p.values(), spec["clip"])
            found["gradient_norms"].append(float(size))
        found["learning_rates"].append(cosine(spec, step))
        scaler.step(optimizer)
        scaler.update()
    return found, {name: tensor.detach() for name, tensor in model.p.items()}


def get_batch(torch, spec, generator):
    """nanoGPT's get_batch on the file of the spec, byte by byte or character by character."""
    text = pathlib.Path(spec["corpus"]).read_bytes()
    if spec["tokenizer"] == "char":
        characters = sorted(set(text.decode()))
        data = torch.tensor([characters.index(c) for c in text.decode()])
    else:
        data = torch.tensor(list(text))
    T = spec["T"]
    ix = torch.randint(len(data) - T, (spec["B"] * spec["accumulate"],), generator=generator)
    return (torch.stack([data[i:i + T] for i in ix]),
            torch.stack([data[i + 1:i + 1 + T] for i in ix]))


def generate(torch, spec, dump, dtype):
    """nanoGPT's generate: the whole text again for every token. New tokens of the first row."""
    model = Reference(torch, spec, dump, dtype)
    prompt = dump["input"][list(dump["input"])[model.first_tokens]]
    generator = torch.Generator().manual_seed(spec["seed"])
    rows = prompt
    with torch.no_grad():
        for _ in range(spec["new_tokens"]):
            model.inputs = [rows, rows]
            logits = model.run()[0][:, -1, :]
            if spec["temperature"] == 0:
                token = logits.argmax(-1, keepdim=True)
            else:
                logits = logits / spec["temperature"]
                if 0 < spec["top_k"] < spec["vocab"]:
                    least = logits.topk(spec["top_k"]).values[:, [-1]]
                    logits = logits.masked_fill(logits < least, float("-inf"))
                token = torch.multinomial(logits.softmax(-1), 1, generator=generator)
            rows = torch.cat((rows, token), 1)
    return rows[0, prompt.shape[1]:].tolist()


def compare_generation(torch, spec, folder):
    dump, manifest = read_dump(torch, folder)
    dtype = next(iter(dump["parameter"].values())).dtype
    expected = generate(torch, spec, dump, dtype)
    engine = [int(token) for token in manifest["generated"]]
    if engine == expected:
        return [], [0.0, 0.0, 0.0]
    return [f"generated {engine} and not {expected}"], [1.0, 0.0, 0.0]


def relative_error(torch, engine, expected):
    engine, expected = engine.double(), expected.double()
    difference, size = float((engine - expected).norm()), float(expected.norm())
    return difference / size if size > 0 else difference


def compare(torch, spec, folder):
    """Lines of what differs too much, and the largest errors."""
    dump, manifest = read_dump(torch, folder)
    dump["loss"] = {"loss": torch.tensor(manifest["losses"][0], dtype=torch.float64)}
    problems, largest = [], [0.0, 0.0, 0.0]
    tolerance = TOLERANCE["autocast" if spec["autocast"] != "off" else spec["dtype"]]
    same = next(iter(dump["input_gradient" if "input_gradient" in dump else "gradient"].values()))
    # Scaled gradients of a first step that was skipped are no gradients.
    first = not spec["grad_scaler"] and spec["clip"] == 0
    for which, dtype in enumerate((same.dtype, torch.float64)):
        for (role, name), expected in Reference(torch, spec, dump, dtype).once(dump).items():
            if "gradient" in role and not first:
                continue
            error = relative_error(torch, dump[role][name], expected)
            largest[which] = max(largest[which], error)
            if not error <= tolerance[which]:
                problems.append(f"{role} {name}: {error:.1e} against {dtype}")
    if spec["pass"] == "full_step":
        largest[2] = compare_training(torch, spec, dump, manifest, same.dtype, tolerance, problems)
    return problems, largest


def compare_training(torch, spec, dump, manifest, dtype, tolerance, problems):
    largest = 0.0
    found, parameters = five_steps(torch, spec, dump, dtype)
    for name, expected in found.items():
        if not expected:
            continue
        # What is not finite is written as null: there the norm of an overflowed step.
        engine = [math.inf if value is None else value for value in manifest[name]]
        finite = [i for i, value in enumerate(expected) if math.isfinite(value)]
        if [i for i, value in enumerate(engine) if math.isfinite(value)] != finite:
            problems.append(f"{name} of five steps: {engine} and not {expected}")
        error = relative_error(torch, torch.tensor([engine[i] for i in finite]),
                               torch.tensor([expected[i] for i in finite]))
        largest = max(largest, error)
        if not error <= tolerance[2]:
            problems.append(f"{name} of five steps: {manifest[name]} and not {expected}")
    for name, expected in parameters.items():
        error = relative_error(torch, dump["updated"][name], expected)
        largest = max(largest, error)
        if not error <= tolerance[2]:
            problems.append(f"updated {name}: {error:.1e}")
    return largest


GPT2 = {"norm": "layernorm", "positions": "learned", "ffn": "gelu", "bias": True, "tied": True,
        "fused_qkv": True}
DEFAULTS = {"B": 2, "T": 48, "heads": 3, "kv_heads": 0, "T_kv": 0, "d_head": 16, "d_model": 48,
            "d_ff": 80, "layers": 2, "vocab": 101, "seed": 7, "dtype": "fp32", "backend": "naive",
            "causal": True, "norm": "rmsnorm", "positions": "rope", "ffn": "swiglu", "bias": False,
            "tied": False, "fused_qkv": False, "mlp": "gelu", "autocast": "off",
            "grad_scaler": False, "init_scale": 65536, "growth_interval": 2000,
            "optimizer": "adamw_fused", "lr": 3e-4, "min_lr": 3e-5, "weight_decay": 0.1,
            "momentum": 0.0, "schedule": "constant", "warmup_steps": 200, "cycle_steps": 10000,
            "clip": 0.0, "zero_grad": "none", "accumulate": 1, "checkpoint": "off",
            "checkpoint_every": 1, "tile_q": 64, "tile_k": 64, "corpus": "", "tokenizer": "byte",
            "new_tokens": 24, "kv_cache": True, "temperature": 1.0, "top_k": 0}


def changed_specs():
    for dtype in ("fp32", "bf16", "fp16"):
        for backend in ("naive", "math", "flash", "tiled", "auto"):
            for causal in (True, False):
                yield {"workload": "attention", "dtype": dtype, "backend": backend,
                       "causal": causal, "tile_q": 16, "tile_k": 20}
            yield {"workload": "block", "dtype": dtype, "backend": backend}
            yield {"workload": "lm", "dtype": dtype, "backend": backend}
        for workload in ("mlp", "weighted_sum", "toy"):
            yield {"workload": workload, "dtype": dtype}
        yield {"workload": "lm", "dtype": dtype, "T": 200, "d_model": 192, "heads": 4, "d_ff": 512,
               "layers": 4, "vocab": 997}
        yield dict(GPT2, workload="lm", dtype=dtype)
    for backend in ("naive", "math", "flash", "tiled"):
        yield {"workload": "attention", "backend": backend, "heads": 6, "kv_heads": 2}
        yield {"workload": "attention", "backend": backend, "T_kv": 70, "causal": False}
        yield {"workload": "lm", "backend": backend, "kv_heads": 1}
        yield {"workload": "lm", "backend": backend, "checkpoint": "blocks", "checkpoint_every": 2}
        yield {"workload": "block", "backend": backend, "checkpoint": "attention"}
    yield {"workload": "mlp", "mlp": "swiglu"}
    yield {"workload": "block", "positions": "none", "norm": "layernorm"}
    for optimizer in ("adamw_fused", "adamw_foreach", "adamw_loop", "sgd"):
        yield {"workload": "lm", "optimizer": optimizer, "lr": 0.01, "momentum": 0.9, "clip": 0.5}
        yield {"workload": "lm", "optimizer": optimizer, "schedule": "cosine", "warmup_steps": 2,
               "cycle_steps": 6, "zero_grad": "zero"}
        yield {"workload": "lm", "optimizer": optimizer, "autocast": "fp16", "grad_scaler": True,
               "init_scale": 2 ** 26, "clip": 1.0}
    yield {"workload": "lm", "accumulate": 3}
    yield {"workload": "lm", "autocast": "fp16", "grad_scaler": True, "growth_interval": 2,
           "init_scale": 1024}
    for autocast in ("bf16", "fp16"):
        for workload in ("attention", "mlp", "block", "lm", "toy"):
            yield {"workload": workload, "autocast": autocast}
        yield {"workload": "lm", "autocast": autocast, "checkpoint": "blocks"}
    text = str(pathlib.Path(__file__).resolve())
    yield {"workload": "lm", "corpus": text, "vocab": 256, "lr": 0.01}
    yield {"workload": "lm", "corpus": text, "tokenizer": "char", "vocab": 200, "accumulate": 2}
    for kv_cache in (True, False):
        for backend in ("naive", "math", "flash"):
            yield {"workload": "lm", "pass": "generate", "backend": backend, "kv_cache": kv_cache}
        yield dict(GPT2, workload="lm", **{"pass": "generate"}, kv_cache=kv_cache, temperature=0.7,
                   top_k=5)
        yield {"workload": "lm", "pass": "generate", "kv_cache": kv_cache, "temperature": 0.0,
               "kv_heads": 1}
        yield {"workload": "lm", "pass": "generate", "kv_cache": kv_cache, "T": 1, "B": 1,
               "corpus": text, "vocab": 256, "top_k": 50}


def main(engine_dump, site=None):
    torch, reason = import_torch(site)
    if torch is None:
        print(f"skipped: no Python with torch 2.11 ({reason})")
        return 77
    failed = 0
    for changes in changed_specs():
        spec = dict(DEFAULTS, **changes)
        # AdamW in plain fp16 divides by second moments that vanished.
        trains = spec["workload"] != "attention" and spec["dtype"] != "fp16"
        spec.setdefault("pass", "full_step" if trains else "forward+backward")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
            subprocess.run([engine_dump, folder / "spec.json", folder], check=True)
            compared = compare_generation if spec["pass"] == "generate" else compare
            problems, largest = compared(torch, spec, folder)
        failed += bool(problems)
        label = " ".join(f"{value}" if key in ("workload", "dtype", "backend") else f"{key}={value}"
                         for key, value in changes.items())
        errors = ", ".join(f"{error:.1e}" for error in largest)
        print(f"{'FAIL' if problems else 'ok  '} {label}: same dtype, fp64, five steps: {errors}")
        for problem in problems:
            print("    " + problem)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
