"""parity.py ENGINE_DUMP TENSORSCOPE: the engine computes what PyTorch's Python of the same version does.

For each of parity_specs.py the engine dumps its parameters, inputs, output, loss, gradients, and after
five steps the losses, gradient norms, learning rates, loss scales and parameters. The tokens that pass
generate makes are compared one by one. references.py does the same in PyTorch's Python; values and
gradients are compared in the same dtype and against fp64, the five steps in the same dtype. Then
script_parity.py compares with the same dumps what `tensorscope script` writes. Without torch 2.11 in
this Python the test is skipped (exit code 77).
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

from parity_specs import all_specs
from references import Reference, five_steps, generate, import_torch

# ||engine - reference|| / ||reference||: values and gradients against the same dtype and against
# fp64; losses and parameters of five steps.
TOLERANCE = {"fp32": (5e-6, 5e-6, 1e-5), "bf16": (4e-2, 4e-2, 2e-2), "fp16": (2e-2, 3e-2, 2e-3),
             "autocast": (4e-2, 6e-2, 2e-2)}


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


def is_rounding(spec, name):
    """Whether a parameter's gradient is zero but for rounding: a bias of keys that are not turned moves
    all scores of a query alike, and a softmax does not see that."""
    encoder = spec["workload"] == "vlm" and name.startswith("encoder.")
    turned = spec["positions"] == "rope" and not encoder and "resampler." not in name
    return name.endswith("k_proj.bias") and not turned


def output_of(torch, spec, dump):
    """The output as the reference has it. Our cross entropy takes the last layer in, so the engine's
    output is then what that layer reads."""
    output = dump["output"]["output"]
    last = {"toy": "fc2.weight", "lm": "embedding.weight" if spec["tied"] else "head.weight",
            "vlm": "language.embedding.weight" if spec["tied"] else "language.head.weight"}
    whole = spec.get("head_bias") or spec.get("logit_softcap", 0) > 0
    if spec.get("kernels") != "own" or spec["workload"] not in last or whole:
        return output
    weight = dump["parameter"][last[spec["workload"]]]
    return torch.nn.functional.linear(output.double(), weight.double())


def compare(torch, spec, folder):
    """Lines of what differs too much, and the largest errors."""
    dump, manifest = read_dump(torch, folder)
    dump["loss"] = {"loss": torch.tensor(manifest["losses"][0], dtype=torch.float64)}
    if "output" in dump:
        dump["output"]["output"] = output_of(torch, spec, dump)
    problems, largest = [], [0.0, 0.0, 0.0]
    tolerance = TOLERANCE["autocast" if spec["autocast"] != "off" else spec["dtype"]]
    same = next(iter(dump["input_gradient" if "input_gradient" in dump else "parameter"].values()))
    # Scaled gradients of a first step that was skipped are no gradients.
    first = not spec["grad_scaler"] and spec["clip"] == 0
    for which, dtype in enumerate((same.dtype, torch.float64)):
        for (role, name), expected in Reference(torch, spec, dump, dtype).once(dump).items():
            if "gradient" in role and (not first or is_rounding(spec, name)):
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
        # A number that is not finite is written as null: there the norm of an overflowed step.
        engine = [math.inf if value is None else value for value in manifest[name]]
        finite = [i for i, value in enumerate(expected) if math.isfinite(value)]
        if [i for i, value in enumerate(engine) if math.isfinite(value)] != finite:
            problems.append(f"{name} of five steps: {engine} and not {expected}")
        error = relative_error(torch, torch.tensor([engine[i] for i in finite]),
                               torch.tensor([expected[i] for i in finite]))
        largest = max(largest, error)
        if not error <= tolerance[2]:
            problems.append(f"{name} of five steps: {manifest[name]} and not {expected}")
    exact = {}
    for name, expected in parameters.items():
        if is_rounding(spec, name):
            continue
        error = relative_error(torch, dump["updated"][name], expected)
        largest = max(largest, error)
        # AdamW divides a gradient by its size, and this one is small where patches see each other.
        small = spec["workload"] in ("vit", "vlm") and name.endswith("q_proj.bias")
        most = tolerance[2] * (4 if small else 1)
        if error <= most:
            continue
        # Rounding depends on the processor's instructions: as near to fp64 as PyTorch's own is good.
        exact = exact or five_steps(torch, spec, dump, torch.float64)[1]
        own = relative_error(torch, expected, exact[name])
        if not relative_error(torch, dump["updated"][name], exact[name]) <= own:
            problems.append(f"updated {name}: {error:.1e}, PyTorch's own from fp64 {own:.1e}")
    return largest


def main(engine_dump, program):
    torch, reason = import_torch()
    if torch is None:
        print(f"skipped: no Python with torch 2.11 ({reason})")
        return 77
    import script_parity
    failed = 0
    specs = list(all_specs())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "specs.json").write_text(json.dumps([spec for _, spec in specs]), encoding="utf-8")
        subprocess.run([engine_dump, folder / "specs.json", folder], check=True)
        for i, (changes, spec) in enumerate(specs):
            compared = compare_generation if spec["pass"] == "generate" else compare
            problems, largest = compared(torch, spec, folder / str(i))
            failed += bool(problems)
            label = " ".join(f"{value}" if key in ("workload", "dtype", "backend") else f"{key}={value}"
                             for key, value in changes.items())
            errors = ", ".join(f"{error:.1e}" for error in largest)
            print(f"{'FAIL' if problems else 'ok  '} {label}: same dtype, fp64, five steps: {errors}")
            for problem in problems:
                print("    " + problem)
        failed += script_parity.compare_all(torch, program, specs, folder)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
