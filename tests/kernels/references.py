"""The references of tests/kernels/parity.py for the engine: steps of training and generation in PyTorch's
Python, with its optimizers, clip_grad_norm_, autocast and GradScaler, on the models of
kernels/compiled/models.py and from the engine's own parameters and inputs.
"""

import atexit
import gc
import importlib.machinery
import math
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "kernels" / "compiled"))
import models  # noqa: E402

STEPS = 5
# The torch that the build is for; one with another LibTorch says so.
MINOR = os.environ.get("TENSORSCOPE_TORCH", "2.11")


def fits(version):
    return version.startswith(MINOR + ".")


def import_torch():
    """(torch, None), or (None, why not)."""
    # Nothing of it is garbage: looking for that takes a sixth of the import, and half a second of the end.
    gc.disable()
    atexit.register(gc.freeze)
    try:
        import torch
    except Exception as problem:
        return None, str(problem)
    finally:
        gc.enable()
    version = getattr(torch, "__version__", "without its Python files")
    return (torch, None) if fits(version) else (None, f"this Python has torch {version}")


def skip(why_not):
    print(why_not)
    sys.exit(77)


def torch_or_skip():
    """torch; where this Python has none that fits, the test ends as skipped (exit code 77)."""
    torch, why_not = import_torch()
    return torch if torch is not None else skip(why_not)


def skip_without_torch():
    """The same for a test that needs it in its children alone: without two seconds of importing it."""
    found = importlib.machinery.PathFinder.find_spec("torch")
    folders = found.submodule_search_locations if found is not None else None
    if not folders:
        skip("No module named 'torch'")
    file = pathlib.Path(next(iter(folders))) / "version.py"
    words = re.search(r"__version__ *= *'([^']*)'", file.read_text(encoding="utf-8")) if file.exists() else None
    version = words[1] if words else "without its Python files"
    if not fits(version):
        skip(f"this Python has torch {version}")


def rows_of(tensor, micro_batch, micro_batches):
    """The rows of one micro-batch."""
    count = len(tensor) // micro_batches
    return tensor[micro_batch * count:(micro_batch + 1) * count]


class Reference:
    """The computation with all floating tensors in `dtype`, under autocast if the spec says so."""

    def __init__(self, torch, spec, dump, dtype):
        def leaf(tensor, trained=True):
            if not tensor.is_floating_point():
                return tensor
            # Adapters are fp32 beside weights of 16 bits.
            narrow = tensor.dtype == torch.float32 and dtype is not torch.float64
            kept = tensor.detach() if narrow else tensor.detach().to(dtype)
            return kept.clone().requires_grad_(trained)

        self.torch, self.spec = torch, spec
        self.models = models.Models(torch, spec)
        parameters = dump.get("parameter", {})
        self.p = {name: leaf(tensor, models.is_trained(spec, name))
                  for name, tensor in parameters.items()}
        images = spec["workload"] in ("vit", "vlm")
        self.inputs = [leaf(tensor, not images) for tensor in dump["input"].values()]
        # Pass generate: tokens and targets come before what generation is made of.
        kinds = [tensor.dtype == torch.int64 and tensor.dim() == 2 for tensor in dump["input"].values()]
        self.first_tokens = kinds.index(True) if True in kinds else -2
        self.autocast = None
        if dtype is not torch.float64 and spec["autocast"] != "off":
            self.autocast = {"bf16": torch.bfloat16, "fp16": torch.float16}[spec["autocast"]]

    def run(self, micro_batch=0):
        inputs = list(self.inputs)
        last = {"lm": 2, "vit": 2, "vlm": 3}.get(self.spec["workload"], 0)
        if last > 0 and self.spec["pass"] != "generate":
            inputs[-last:] = [rows_of(tensor, micro_batch, self.spec["accumulate"])
                              for tensor in inputs[-last:]]
        with self.torch.autocast("cpu", self.autocast, enabled=self.autocast is not None):
            return self.models.forward(self.p, inputs)

    def once(self, dump):
        """Output, loss and gradients of the first step, as the dump names them."""
        # Dropout: the engine begins each with this seed, and draws as PyTorch's own generator does.
        self.torch.manual_seed(self.spec["seed"])
        output, _ = self.run()
        self.torch.manual_seed(self.spec["seed"])
        total = 0
        for i in range(self.spec["accumulate"]):
            loss = self.run(i)[1] / self.spec["accumulate"]
            loss.backward()
            total += loss.detach()
        found = {("output", "output"): output.detach(), ("loss", "loss"): total}
        found.update({("gradient", name): tensor.grad for name, tensor in self.p.items()
                      if tensor.requires_grad})
        for name in dump.get("input_gradient", {}):
            found["input_gradient", name] = self.inputs[int(name)].grad
        return found


class Wide:
    """An optimizer of PyTorch on fp32 copies of 16-bit parameters, which it keeps as master weights or
    makes anew for every step."""

    def __init__(self, torch, spec, parameters):
        self.parameters = list(parameters)
        self.keeps = spec["optimizer_state"] == "fp32+master"
        self.copies = [p.detach().float().requires_grad_() for p in self.parameters]
        self.inner = torch_optimizer(torch, spec, self.copies)
        self.param_groups = self.inner.param_groups

    def zero_grad(self, set_to_none):
        for parameter in self.parameters:
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.zero_()

    def step(self):
        for parameter, copy in zip(self.parameters, self.copies):
            if not self.keeps:
                copy.data.copy_(parameter.data)
            copy.grad = None if parameter.grad is None else parameter.grad.float()
        self.inner.step()
        for parameter, copy in zip(self.parameters, self.copies):
            parameter.data.copy_(copy.data)


def make_optimizer(torch, spec, parameters):
    parameters = [one for one in parameters if one.requires_grad]
    wide = spec["optimizer_state"] != "parameter" and parameters[0].dtype in (torch.bfloat16,
                                                                              torch.float16)
    return Wide(torch, spec, parameters) if wide else torch_optimizer(torch, spec, parameters)


def out_of_place_adamw(torch, parameters, lr, decay):
    """The algorithm of CS336's first assignment, line by line."""

    class AdamW(torch.optim.Optimizer):
        def __init__(self):
            super().__init__(parameters, {"lr": lr})

        @torch.no_grad()
        def step(self):
            rate = self.param_groups[0]["lr"]
            for p in self.param_groups[0]["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
                t = state["t"] + 1
                m = 0.9 * state["m"] + (1 - 0.9) * p.grad
                v = 0.999 * state["v"] + (1 - 0.999) * p.grad ** 2
                p -= rate * math.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * m / (torch.sqrt(v) + 1e-8)
                p -= rate * decay * p
                state.update(t=t, m=m, v=v)

    return AdamW()


def torch_optimizer(torch, spec, parameters):
    if spec["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, lr=spec["lr"], momentum=spec["momentum"],
                               weight_decay=spec["weight_decay"], foreach=False)
    if spec["optimizer"] == "adamw_out_of_place":
        return out_of_place_adamw(torch, parameters, spec["lr"], spec["weight_decay"])
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
    """The record of five steps of training: losses, norms, rates, scales and the parameters."""
    model = Reference(torch, spec, dump, dtype)
    optimizer = make_optimizer(torch, spec, model.p.values())
    scaler = torch.amp.GradScaler("cpu", init_scale=float(spec["init_scale"]),
                                  growth_interval=spec["growth_interval"],
                                  enabled=spec["grad_scaler"])
    generator = torch.Generator().manual_seed(spec["seed"])
    torch.manual_seed(spec["seed"])
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
