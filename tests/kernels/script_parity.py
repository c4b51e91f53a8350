"""A script that `tensorscope script` writes computes the engine's numbers; a part of parity.py, which has the dumps.

Each specification of parity_specs.py becomes a script, which is run as a module with the parameters and
inputs that the engine dumped: losses, gradients of the first step and the parameters after five steps
are the engine's. What PyTorch's Python has nothing for is refused in one sentence.
"""

import json
import subprocess
import sys

from parity import TOLERANCE, is_rounding, read_dump, relative_error
from references import STEPS, rows_of

REFUSED = "tensorscope: PyTorch's Python has nothing for "
# The settings that a refusal may name.
NO_SCRIPT = ("backend", "kernels", "workload", "pass", "corpus", "checkpoint", "ffn", "mlp",
             "head_width", "qkv_bias", "qk_norm", "kv_rank", "expert_ff", "shared_ff", "dense_layers",
             "expert_every", "expert_weights", "expert_scale", "rope_width", "full_every", "block_form",
             "post_norm", "head_bias", "softcap", "logit_softcap", "max_positions")


def script_of(program, path):
    """(script, None), or (None, why not)."""
    made = subprocess.run([program, "script", "--spec", str(path)], capture_output=True, text=True)
    if made.returncode == 0:
        return made.stdout, None
    assert made.returncode == 2 and made.stderr.startswith(REFUSED), (made.returncode, made.stderr)
    assert made.stderr.count("\n") == 1 and not made.stdout, made.stderr
    return None, made.stderr[len(REFUSED):].strip()


def micro_batches(torch, spec, dump):
    images = spec["workload"] in ("vit", "vlm")
    inputs = [tensor.requires_grad_(tensor.is_floating_point() and not images) for tensor in dump["input"].values()]
    if spec["workload"] == "lm":
        rows = [slice(i * spec["B"], (i + 1) * spec["B"]) for i in range(spec["accumulate"])]
        return [tuple(tensor[row] for tensor in inputs[-2:]) for row in rows]
    if spec["workload"] in ("vit", "vlm"):
        last = inputs[-2:] if spec["workload"] == "vit" else inputs[-3:]
        return [tuple(rows_of(tensor, i, spec["accumulate"]) for tensor in last)
                for i in range(spec["accumulate"])]
    if spec["workload"] == "attention":
        return [tuple(inputs[:1] if spec["projections"] else inputs[:3])]
    return [tuple(inputs[:2] if spec["workload"] == "toy" else inputs[-1:])]


def compare(torch, spec, script, folder):
    dump, manifest = read_dump(torch, folder)
    module = {"__name__": "script"}
    exec(compile(script, "script", "exec"), module)  # pylint: disable=exec-used
    parameters = dict(module["model"].named_parameters())
    given = dump.get("parameter", {})
    problems = []
    if sorted(parameters) != sorted(given):
        return [f"parameters {sorted(parameters)} and not {sorted(given)}"]
    with torch.no_grad():
        for name, tensor in given.items():
            parameters[name].copy_(tensor)
    if "Wide" in module:  # its copies are those of the parameters
        module["optimizer"] = module["Wide"](module["model"].parameters(), module["make_optimizer"])
    tolerance = TOLERANCE["autocast" if spec["autocast"] != "off" else spec["dtype"]]
    batches = micro_batches(torch, spec, dump)
    torch.manual_seed(spec["seed"])
    losses = []
    trains = spec["pass"] == "full_step"
    for number in range(STEPS if trains else 1):
        losses.append(float(module["train_step"](number, batches)))
        if number > 0 or spec["grad_scaler"] or spec["clip"] > 0:
            continue
        for name, gradient in dump.get("gradient", {}).items():
            if is_rounding(spec, name):
                continue
            error = relative_error(torch, gradient, parameters[name].grad)
            if not error <= tolerance[0]:
                problems.append(f"gradient {name}: {error:.1e}")
    engine = torch.tensor(manifest["losses"][:len(losses)], dtype=torch.float64)
    error = relative_error(torch, engine, torch.tensor(losses))
    if not error <= tolerance[2]:
        problems.append(f"losses {losses} and not {engine.tolist()}")
    for name, tensor in dump.get("updated", {}).items() if trains else ():
        if is_rounding(spec, name):
            continue
        error = relative_error(torch, tensor, parameters[name].detach())
        if not error <= tolerance[2]:
            problems.append(f"updated {name}: {error:.1e}")
    return problems


def compare_all(torch, program, specs, folder):
    """How many failed of the specifications, (changes, spec), that were dumped into FOLDER/0, FOLDER/1, ..."""
    failed = refused = 0
    written = []
    for i, (changes, spec) in enumerate(specs):
        path = folder / "spec.json"
        path.write_text(json.dumps(spec), encoding="utf-8")
        script, why = script_of(program, path)
        if script is None:
            refused += 1
            assert why.split(" = ")[0] in NO_SCRIPT, why
        else:
            written.append((changes, spec, script, folder / str(i)))
    for changes, spec, script, dumped in written:
        problems = compare(torch, spec, script, dumped)
        failed += bool(problems)
        print("FAIL" if problems else "ok  ", "script", changes)
        for problem in problems:
            print("    " + problem)
    # The comparison tells a script apart whose learning rate is another one.
    _, spec, script, dumped = next(one for one in written
                                   if one[1]["workload"] == "lm" and one[1]["dtype"] == "fp32")
    other = script.replace("LEARNING_RATE = 0.0003", "LEARNING_RATE = 0.0006")
    if other == script or not compare(torch, spec, other, dumped):
        failed += 1
        print("FAIL another learning rate is not noticed")
    # One of them as a user runs it.
    alone = folder / "alone.py"
    alone.write_text(written[0][2], encoding="utf-8")
    run = subprocess.run([sys.executable, str(alone), "2"], capture_output=True, text=True)
    if run.returncode != 0 or "step 2: loss " not in run.stdout:
        failed += 1
        print("FAIL alone", run.stdout, run.stderr)
    print(f"{len(written)} scripts compared, {refused} refused, {failed} failed")
    return failed
