"""findings_test.py: mistakes in a script are found in its recording, with their line; without them nothing is.

Each script records itself; the program's summary says what it finds. Without torch 2.11 in this Python the test is
skipped (exit code 77).
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import import_torch  # noqa: E402

LOOP = """
import torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8))
optimizer = torch.optim.{optimizer}(model.parameters(), lr=1e-3)
kept, total = [], 0
batch = torch.randn(16, 32)
{before}
for i in range(8):
    {clear}
    output = model(batch)
    loss = output.square().mean()
    {inside}
    {backward}
    optimizer.step()
"""
RIGHT = {"optimizer": "AdamW", "before": "pass", "clear": "optimizer.zero_grad()", "inside": "pass",
         "backward": "loss.backward()"}


class Findings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def found(self, script, *arguments):
        out = self.folder / "one.recording"
        done = record(script, out, arguments=arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = subprocess.run([PROGRAM, "summary", "--json", out], check=True, capture_output=True, text=True)
        return {one["check"]: one["found"] for one in json.loads(told.stdout)["findings"]}

    def loop(self, **changes):
        script = self.folder / "loop.py"
        text = LOOP.format(**{**RIGHT, **changes})
        script.write_text(text, encoding="utf-8")
        lines = text.splitlines()
        changed = next((word for word in changes.values() if word in map(str.strip, lines)), None)
        self.line = f"loop.py:{[line.strip() for line in lines].index(changed) + 1}" if changed else ""
        return self.found(script)

    def only(self, check, found, *words):
        self.assertEqual(list(found), [check], found)
        for word in words:
            self.assertIn(word, found[check])

    def test_right_loops_have_none(self):
        for optimizer in ("SGD", "AdamW", "Adagrad"):
            self.assertEqual(self.loop(optimizer=optimizer), {}, optimizer)

    def test_other_ways_to_clear_gradients(self):
        for clear in ("optimizer.zero_grad(set_to_none=False)", "model.zero_grad()",
                      "for p in model.parameters(): p.grad = None",
                      "[p.grad.zero_() for p in model.parameters() if p.grad is not None]"):
            self.assertEqual(self.loop(clear=clear), {}, clear)

    def test_the_assignment_has_none(self):
        self.assertEqual(self.found(HERE / "cs336.py", "8"), {})

    def test_outputs_kept_with_their_graphs(self):
        found = self.loop(inside="kept.append(output)", backward="model(batch).mean().backward()")
        self.only("F-1", found, "loop.py:", "KiB more in every step")

    def test_tensors_in_a_list(self):
        self.only("F-2", self.loop(inside="kept.append(batch * 2)"), self.line, "2.00 KiB more in every step")

    def test_gradients_that_add_up(self):
        self.only("F-3", self.loop(clear="pass"), "loop.py:14", "10.28 KiB of gradients")

    def test_numbers_read_in_every_step(self):
        self.only("F-4", self.loop(inside="total += loss.item()"), self.line, "1 number is read")

    def test_numbers_read_now_and_then(self):
        self.assertEqual(self.loop(inside="total += loss.item() if i % 4 == 0 else 0"), {})

    def test_fp64_by_accident(self):
        found = self.loop(before="model, batch = model.double(), batch.double()")
        self.only("F-5", found, "loop.py:11", "fp64")

    def test_fp64_that_is_converted_at_once(self):
        self.assertEqual(self.loop(inside="batch = torch.ones(16, 32, dtype=torch.float64).float()"), {})


if __name__ == "__main__":
    torch, why_not = import_torch()
    if torch is None:
        print(why_not)
        sys.exit(77)
    from recording import record  # noqa: E402
    import os
    PROGRAM = pathlib.Path(os.environ["TENSORSCOPE_ENGINE_DIR"]) / "tensorscope"
    unittest.main(argv=sys.argv[:1], verbosity=1)
