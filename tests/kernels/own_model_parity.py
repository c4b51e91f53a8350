"""own_model_parity.py TENSORSCOPE ENGINE_DUMP EVENT_DUMP: an exported module computes here what it computes in Python.

Output, loss and gradients of each module of own_models.py and own_nets.py are compared with eager Python
on the tensors that the engine dumped, at sizes other than the exported ones. The peak of a real run of
the former on the CPU must be the predicted one to the byte; own_model_events.py compares the events of all. A file
whose graph calls what reaches files or memory is refused. Without torch 2.11 in this Python the test is
skipped (exit code 77).
"""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from parity import read_dump, relative_error
from references import torch_or_skip

TOLERANCE = 1e-5
SIZES = [(3, 16), (2, 21), (5, 2)]
# The file holds the operators of a forward, so not a backward of Python's own.
OTHER_BACKWARD = ("own_backward",)


def expected_of(torch, module, examples, dump):
    parameters = dict(module.named_parameters(remove_duplicate=False))
    for key, value in dump["parameter"].items():
        parameters[key].data = value.clone()
    left = [value for _, value in sorted(dump["input"].items(), key=lambda one: int(one[0]))]
    inputs = []
    for example in examples:  # beside the module's inputs there are buffers, and targets at the end
        fits = [i for i, one in enumerate(left) if (one.dtype, one.dim()) == (example.dtype, example.dim())]
        inputs.append(left.pop(fits[0]))
    module.zero_grad()
    output = module(*inputs)
    if output.dim() == 0:
        loss = output
    elif any(one.dtype == torch.int64 for one in inputs):
        loss = torch.nn.functional.cross_entropy(output.flatten(0, -2), left[-1])
    else:
        loss = output.mean()
    loss.backward()
    return output, loss, {key: parameters[key].grad for key in dump["parameter"]}


def compare(torch, name, module, examples, folder):
    dump, manifest = read_dump(torch, folder)
    output, loss, gradients = expected_of(torch, module, examples, dump)
    found = {"output": relative_error(torch, dump["output"]["output"], output.detach()),
             "loss": relative_error(torch, torch.tensor(manifest["losses"][0]), loss.detach())}
    for key, expected in gradients.items() if name not in OTHER_BACKWARD else ():
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


def with_call(model, target, arguments, out):
    """A copy of the file whose graph calls another operator first."""
    with zipfile.ZipFile(model) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    path = next(name for name in parts if name.endswith("models/model.json"))
    whole = json.loads(parts[path])
    graph = whole["graph_module"]["graph"]
    first = graph["nodes"][0]["outputs"][0]["as_tensor"]["name"]
    graph["tensor_values"]["called"] = graph["tensor_values"][first]
    inputs = [{"name": name, "arg": value, "kind": 1} for name, value in arguments.items()]
    graph["nodes"].insert(0, {"target": target, "inputs": inputs, "metadata": {},
                              "outputs": [{"as_tensor": {"name": "called"}}],
                              "is_hop_single_tensor_return": None})
    parts[path] = json.dumps(whole).encode()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)


def hostile(program, model, folder):
    """A file cannot call what reaches files or memory: each ends with a sentence."""
    victim = folder / "victim"
    victim.write_text("a text of somebody\n", encoding="utf-8")
    with zipfile.ZipFile(model) as file:
        path = next(name for name in file.namelist() if name.endswith("models/model.json"))
        graph = json.loads(file.read(path))["graph_module"]["graph"]
    tensor = next(one["arg"] for node in graph["nodes"] for one in node["inputs"] if "as_tensor" in one["arg"])
    numbers = {"size": {"as_ints": [100]}, "stride": {"as_ints": [1]}}
    calls = {
        "aten.from_file.default": {"filename": {"as_string": str(victim)}, "shared": {"as_bool": True},
                                   "size": {"as_int": 4}},
        "inductor._reinterpret_tensor.default": {"self": tensor, **numbers, "offset": {"as_int": 1 << 33}},
        "aten.set_.source_Tensor_storage_offset": {"self": tensor, "source": tensor,
                                                   "storage_offset": {"as_int": 1 << 30}, **numbers},
        "aten._sparse_coo_tensor_unsafe.default": {"indices": tensor, "values": tensor, "size": numbers["size"]}}
    for target, arguments in calls.items():
        bad = folder / "bad.pt2"
        with_call(model, "torch.ops." + target, arguments, bad)
        for command in (["run", "--steps", "1"], ["predict", "--cpu"]):
            done = subprocess.run([program, *command, "--model", str(bad)], capture_output=True, text=True)
            told = done.stdout + done.stderr
            if done.returncode not in (1, 2) or target not in told or told.count("\n") != 1:
                yield f"{command[0]} with {target}: exit code {done.returncode}, {told!r}"
    if victim.read_text(encoding="utf-8") != "a text of somebody\n":
        yield "a file was written"


@functools.cache
def repeats(program, model):
    """Whether the model has modules that can be computed again."""
    told = subprocess.run([program, "predict", "--model", str(model), "--cpu", "--set", "checkpoint=blocks",
                           "--set", "pass=forward+backward"], check=True, capture_output=True, text=True)
    return "checkpoint has no effect" not in told.stderr


def main():
    torch = torch_or_skip()
    import own_model_events
    import own_models
    import own_nets
    program, engine_dump, event_dump = sys.argv[1:]
    compared = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["TENSORSCOPE_ROOFS"] = str(folder / "roofs")
        torch.manual_seed(1)
        models = own_models.modules()
        every = models + own_nets.nets()
        own_models.write_all(folder, every)
        problems, events = own_model_events.compare_all(torch, event_dump, every, folder)
        made = {one: (module, examples) for one, module, examples, _ in every}
        specs = [{"workload": "own_model", "model": str(folder / f"{one}.pt2"), "B": b, "T": t,
                  "backend": "auto"} for one in made for b, t in SIZES]
        for spec in specs:  # the height of images is open, too
            if spec["model"].endswith("cnn.pt2"):
                spec["dim1"] = 16 + 2 * spec["B"]
        specs += [dict(spec, checkpoint="blocks", T=16, B=3) for spec in specs[::len(SIZES)]
                  if repeats(program, spec["model"])]
        # Exported where flash lays its result out by rows, run where math does by heads.
        specs += [dict(spec, backend="math") for spec in specs[1:len(models) * len(SIZES):len(SIZES)]]
        (folder / "specs.json").write_text(json.dumps(specs), encoding="utf-8")
        subprocess.run([engine_dump, folder / "specs.json", folder / "dump"], check=True)
        for i, spec in enumerate(specs):
            one = pathlib.Path(spec["model"]).stem
            problems += compare(torch, one, *made[one], folder / "dump" / str(i))
            compared += 1
        for one in [name for name, *_ in models]:
            for settings in (["pass=forward"], ["pass=forward+backward"],
                             ["pass=full_step", "optimizer=adamw_loop", "B=2", "T=21"],
                             ["pass=forward+backward", "backend=math", "B=2", "T=21"],
                             ["pass=full_step", "checkpoint=blocks", "B=2", "T=21"]):
                if "checkpoint=blocks" in settings and not repeats(program, str(folder / f"{one}.pt2")):
                    continue
                measured, predicted, apart = peaks(program, folder / f"{one}.pt2", settings)
                compared += 1
                if not 0 <= predicted - measured <= apart:
                    problems.append(f"{one} {settings}: {measured} bytes, predicted {predicted}")
        problems += hostile(program, folder / f"{models[0][0]}.pt2", folder)
    print("\n".join(problems) or f"{compared} comparisons and {events} events of {len(every)} modules agree")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
