"""own_model_parity.py TENSORSCOPE ENGINE_DUMP: an exported module computes here what it computes in Python.

Output, loss and gradients of each module of own_models.py are compared with eager Python on the tensors
that the engine dumped, at sizes other than the exported ones. The peak of a real run on the CPU must be
the predicted one to the byte. Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from parity import read_dump, relative_error
from references import import_torch

TOLERANCE = 1e-5
SIZES = [(3, 16), (2, 21), (5, 2)]
CONVOLUTIONS = ["cnn", "vit"]


def expected_of(torch, name, module, dump):
    parameters = dict(module.named_parameters(remove_duplicate=False))
    for key, value in dump["parameter"].items():
        parameters[key].data = value.clone()
    inputs = [value for _, value in sorted(dump["input"].items(), key=lambda one: int(one[0]))]
    module.zero_grad()
    if name in ("mlp", "masked"):
        output = module(inputs[0])
        loss = output.mean()
    elif name in ("cnn", "vit"):  # beside the image there are buffers
        output = module(next(one for one in inputs if one.dim() == 4))
        loss = output.mean()
    elif name == "tied":
        output = loss = module(next(one for one in inputs if one.dtype == torch.int64))
    else:
        tokens, targets = [one for one in inputs if one.dtype == torch.int64 and one.dim() > 0]
        output = module(tokens)
        loss = torch.nn.functional.cross_entropy(output.flatten(0, 1), targets)
    loss.backward()
    return output, loss, {key: parameters[key].grad for key in dump["parameter"]}


def compare(torch, name, module, folder):
    dump, manifest = read_dump(torch, folder)
    output, loss, gradients = expected_of(torch, name, module, dump)
    found = {"output": relative_error(torch, dump["output"]["output"], output.detach()),
             "loss": relative_error(torch, torch.tensor(manifest["losses"][0]), loss.detach())}
    for key, expected in gradients.items():
        found["gradient of " + key] = relative_error(torch, dump["gradient"][key], expected)
    return [f"{name}: {what} differs by {error:.1e}" for what, error in found.items()
            if not error <= TOLERANCE]


def peaks(program, model, settings):
    """Measured, predicted, and by how much at most the threads of a flash backward may use less."""
    common = ["--model", str(model), *[word for one in settings for word in ("--set", one)], "--json"]
    run = subprocess.run([program, "run", *common, "--steps", "1"], check=True, capture_output=True)
    predict = subprocess.run([program, "predict", *common, "--cpu"], check=True, capture_output=True)
    predicted = json.loads(predict.stdout)
    return (json.loads(run.stdout)["memory"]["peak_allocated"], predicted["peak_allocated"],
            predicted["apart"])


def refused(program, model):
    """Convolutions have no form without data: they run, and the prediction names them."""
    predict = subprocess.run([program, "predict", "--model", str(model), "--cpu"], capture_output=True,
                             text=True)
    named = predict.returncode != 0 and "conv2d" in predict.stderr and "without data" in predict.stderr
    return [] if named else [f"{model.stem}: predict says {predict.stderr!r}"]


def main():
    torch, why_not = import_torch()
    if torch is None:
        print(why_not)
        return 77
    import own_models
    program, engine_dump = sys.argv[1:]
    problems, compared = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = own_models.write_all(folder)
        specs = [{"workload": "own_model", "model": str(folder / f"{one}.pt2"), "B": b, "T": t,
                  "backend": "auto"} for one in made for b, t in SIZES]
        for spec in specs:  # the height of images is open, too
            if spec["model"].endswith("cnn.pt2"):
                spec["dim1"] = 16 + 2 * spec["B"]
        (folder / "specs.json").write_text(json.dumps(specs), encoding="utf-8")
        subprocess.run([engine_dump, folder / "specs.json", folder / "dump"], check=True)
        for i, spec in enumerate(specs):
            one = pathlib.Path(spec["model"]).stem
            problems += compare(torch, one, made[one], folder / "dump" / str(i))
            compared += 1
        for one in made:
            if one in CONVOLUTIONS:
                problems += refused(program, folder / f"{one}.pt2")
                continue
            for settings in (["pass=forward"], ["pass=forward+backward"],
                             ["pass=full_step", "optimizer=adamw_loop", "B=2", "T=21"]):
                measured, predicted, apart = peaks(program, folder / f"{one}.pt2", settings)
                compared += 1
                if not 0 <= predicted - measured <= apart:
                    problems.append(f"{one} {settings}: {measured} bytes, predicted {predicted}")
    print("\n".join(problems) or f"{compared} comparisons agree")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
