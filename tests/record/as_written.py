"""as_written.py EVENT_DUMP TENSORSCOPE: what is written out takes the blocks that Python's takes.

The engine runs and predicts lm with softmax, SiLU, masks and products written out, in the sizes of
cs336.py, a training loop as somebody wrote it by hand. Of a step in the middle:
  1. the engine's own events are those of the prediction, one after the other;
  2. cs336.py, recorded, takes in forward, backward and optimizer the blocks that are predicted: as many
     of every size and operator. SAME has the operators that it calls otherwise; it makes zeros in every
     step of its optimizer that it throws away, two for each parameter;
  3. so does what `tensorscope script` writes of the preset as-written, without exceptions.
Left out are blocks of one number, which Python boxes in other places.

Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import torch_or_skip  # noqa: E402

STEP = 1
NUMBER = 8
PHASES = ("forward", "backward", "optimizer")
# The script's operator and ours, of blocks of one size: rows of the embedding, the mask, the masked scores,
# the pairs of rotary positions.
SAME = {"aten::index": "aten::index_select", "IndexBackward0": "aten::embedding_dense_backward",
        "aten::ge": "aten::lt", "aten::where": "aten::clone", "aten::slice_backward": "aten::select_backward"}
WRITTEN = {"softmax": "written", "silu": "written", "products": "einsum", "optimizer": "adamw_out_of_place"}


def specifications(cs336):
    """With the sizes of cs336.py, whose Transformer is that of own_models.py: as it is, and all written out."""
    one = {"workload": "lm", "B": cs336.BATCH, "T": cs336.LENGTH, "vocab": cs336.VOCABULARY, "d_model": 32,
           "heads": 4, "d_ff": 64, "layers": 2, "pass": "full_step", "mask": "layer", **WRITTEN}
    return one, dict(one, mask="head", cross_entropy="written")


def dumped(event_dump, specs, folder):
    (folder / "specs.json").write_text(json.dumps(specs), encoding="utf-8")
    subprocess.run([event_dump, folder / "specs.json", folder / "events"], check=True)
    return [json.loads((folder / "events" / f"{i}.json").read_text(encoding="utf-8"))
            for i in range(len(specs))]


def taken(blocks):
    """For each phase, how often an operator took a block of so many bytes. A script has no phase of its loss."""
    found = {phase: collections.Counter() for phase in PHASES}
    for size, op, phase in blocks:
        if size > NUMBER:
            found["forward" if phase == "loss" else phase][size, op] += 1
    return found


def predicted(dump):
    return taken((one["bytes"], one["op"], one["phase"]) for one in dump["predicted"] if one["step"] == STEP)


def recorded(recording, names):
    return taken((size, names.get(one.op, one.op), one.phase) for size, one in recording.changes()
                 if one.step == STEP and one.phase != "idle")


def differences(name, found, expected):
    return [f"{name}, {phase}: {kind} {dict(more)}" for phase in PHASES
            for kind, more in (("takes, not predicted", found[phase] - expected[phase]),
                               ("predicted, not taken", expected[phase] - found[phase])) if more]


def without_zeros(blocks, parameters):
    """cs336.py without what it throws away."""
    zeros = collections.Counter({key: count for key, count in blocks["optimizer"].items()
                                 if key[1] == "aten::zeros_like"})
    assert zeros.total() == 2 * parameters, zeros
    return dict(blocks, optimizer=blocks["optimizer"] - zeros)


def main(event_dump, program):
    torch_or_skip()
    sys.path.insert(0, str(HERE))
    import cs336
    from recording import Recording, record
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        specs = specifications(cs336)
        dumps = dumped(event_dump, specs, folder)
        for dump in dumps:
            if dump["measured"] != dump["predicted"] or dump["measured_peak"] != dump["predicted_peak"]:
                problems.append("the run's events are not those of its prediction")

        def recording_of(script):
            out = folder / (script.stem + ".recording")
            ended = record(script, out, arguments=["3"])
            assert ended.returncode == 0, ended.stdout + ended.stderr
            return Recording(out)

        parameters = len(list(cs336.Transformer().parameters()))
        by_hand = without_zeros(recorded(recording_of(HERE / "cs336.py"), SAME), parameters)
        problems += differences("cs336.py", by_hand, predicted(dumps[0]))
        (folder / "spec.json").write_text(json.dumps(specs[1]), encoding="utf-8")
        script = folder / "as_written_script.py"
        script.write_text(subprocess.run([program, "script", "--spec", folder / "spec.json"], check=True,
                                         capture_output=True, text=True).stdout, encoding="utf-8")
        expected = predicted(dumps[1])
        problems += differences("the script", recorded(recording_of(script), {}), expected)
    blocks = sum(count.total() for count in by_hand.values())
    print("\n".join(problems) or f"{blocks} blocks of cs336.py and "
          f"{sum(count.total() for count in expected.values())} of the script are those predicted")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
