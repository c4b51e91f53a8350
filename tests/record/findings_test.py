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

# As nanoGPT's train.py has it: numbers from the host pick the batch, losses are estimated without
# gradients, micro-steps, scaling, clipping, a number for the log now and then.
NANO_GPT = """
import torch
from torch.nn import functional as F

class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attn = torch.nn.Linear(width, 3 * width)
        self.mlp = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(),
                                       torch.nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.attn(x).chunk(3, dim=-1)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.mlp(x)

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = torch.nn.Embedding(65, 32)
        self.blocks = torch.nn.ModuleList(Block(32) for _ in range(2))
        self.head = torch.nn.Linear(32, 65, bias=False)
        self.tokens.weight = self.head.weight

    def forward(self, x, targets):
        x = self.tokens(x)
        for block in self.blocks:
            x = block(x)
        logits = self.head(x)
        return logits, F.cross_entropy(logits.view(-1, 65), targets.view(-1))

data = torch.randint(65, (10_000,))

def get_batch():
    ix = torch.randint(len(data) - 16, (4,))
    x = torch.stack([data[i:i + 16] for i in ix])
    y = torch.stack([data[i + 1:i + 17] for i in ix])
    return x, y

@torch.no_grad()
def estimate_loss():
    model.eval()
    losses = torch.zeros(20)
    for k in range(20):
        _, loss = model(*get_batch())
        losses[k] = loss.item()
    model.train()
    return losses.mean()

model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
scaler = torch.amp.GradScaler("cpu")
best = 1e9
X, Y = get_batch()
for step in range(20):
    if step % 10 == 0:
        best = min(best, estimate_loss())
    for micro_step in range(3):
        with torch.amp.autocast("cpu", dtype=torch.bfloat16):
            logits, loss = model(X, Y)
            loss = loss / 3
        X, Y = get_batch()
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    if step % 10 == 0:
        print(loss.item() * 3)
"""
# Double precision where the data comes in, a deque of detached losses, two optimizers by turns.
OTHER_RIGHT = """
import collections
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, i):
        return torch.full((32,), i, dtype=torch.float64), i % 2

maker = torch.nn.Linear(8, 32)
judge = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
first = torch.optim.Adam(maker.parameters())
second = torch.optim.SGD(judge.parameters(), lr=0.1, momentum=0.9)
recent, losses = collections.deque(maxlen=3), []
seen = torch.zeros(())
for epoch in range(2):
    for rows, _ in DataLoader(Rows(), batch_size=8, shuffle=True):
        second.zero_grad()
        made = maker(torch.randn(8, 8))
        loss = judge(made.detach()).mean() - judge(rows.float()).mean()
        loss.backward()
        second.step()
        first.zero_grad()
        (-judge(made).mean()).backward()
        first.step()
        recent.append(made.detach())
        losses.append(loss.detach())
        seen += loss.detach()
    print(seen.item(), torch.stack(losses).mean())
"""
FROZEN = """
import torch
body = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 32))
head = torch.nn.Linear(32, 8)
{before}
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for i in range(8):
    batch = torch.randn(16, 32){input}
    optimizer.zero_grad()
    features = body(batch)
    head(features).square().mean().backward()
    optimizer.step()
"""


class Findings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = ReadyPython(environment=environment())
        cls.addClassCleanup(cls.ready.end)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def found(self, script, *arguments):
        out = self.folder / "one.recording"
        done = record(script, out, arguments=arguments, python=self.ready.python)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        told = subprocess.run([PROGRAM, "summary", "--json", out], check=True, capture_output=True, text=True)
        return {one["check"]: one["found"] for one in json.loads(told.stdout)["findings"]}

    def written(self, text):
        script = self.folder / "loop.py"
        script.write_text(text, encoding="utf-8")
        return self.found(script)

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
        self.assertIn(f"tensorscope: {check} {found[check]}\n", self.said)

    def test_right_loops_have_none(self):
        for optimizer in ("SGD", "AdamW", "Adagrad"):
            self.assertEqual(self.loop(optimizer=optimizer), {}, optimizer)

    def test_what_was_not_looked_for_is_said(self):
        found = self.loop(before="import tensorscope._program; tensorscope._program.MOST_SECONDS = 0", clear="pass")
        self.assertTrue(found)  # with as much time as it takes
        self.assertNotIn("F-", self.said)
        self.assertIn("mistakes in the script were not looked for to the end", self.said)
        self.assertIn(f"tensorscope summary {self.folder / 'one.recording'} does", self.said)

    def test_other_ways_to_clear_gradients(self):
        for clear in ("optimizer.zero_grad(set_to_none=False)", "model.zero_grad()",
                      "for p in model.parameters(): p.grad = None",
                      "[p.grad.zero_() for p in model.parameters() if p.grad is not None]"):
            self.assertEqual(self.loop(clear=clear), {}, clear)

    def test_the_assignment_has_none(self):
        self.assertEqual(self.found(HERE / "cs336.py", "8"), {})

    def test_loops_as_others_write_them(self):
        for text in (NANO_GPT, OTHER_RIGHT):
            self.assertEqual(self.written(text), {})

    def test_losses_added_with_their_graphs(self):
        self.only("F-1", self.loop(inside="total += loss"), self.line, "losses of 7 earlier steps")
        self.only("F-1", self.loop(inside="total = total + loss"), self.line, "losses of 7 earlier steps")

    def test_losses_in_a_list_with_their_graphs(self):
        self.only("F-1", self.loop(inside="kept.append(loss)"), "loop.py:14", "losses of 7 earlier steps")

    def test_losses_that_let_go_of_their_graphs(self):
        for inside in ("total += loss.detach()", "kept.append(loss.detach())", "total = loss if i % 4 == 0 else total"):
            self.assertEqual(self.loop(inside=inside), {}, inside)

    def test_graphs_of_an_evaluation(self):
        found = self.loop(inside="kept.append(model(batch).square().mean())")
        self.only("F-1", found, self.line, "KiB more in every step")

    def test_graphs_of_an_evaluation_between_steps(self):
        text = LOOP.format(**RIGHT) + "    total = total + model(torch.randn(16, 32)).square().mean()\n"
        self.only("F-1", self.written(text), "loop.py:16", "10.00 KiB more in every step")

    def test_outputs_kept_with_their_graphs(self):
        found = self.loop(inside="kept.append(output)", backward="model(batch).mean().backward()")
        self.only("F-1", found, "loop.py:", "KiB more in every step")

    def test_tensors_in_a_list(self):
        self.only("F-2", self.loop(inside="kept.append(batch * 2)"), self.line, "2.00 KiB more in every step")

    def test_a_batch_that_grows(self):
        self.assertEqual(self.loop(before="del batch", clear="batch = torch.randn(16 + i, 32); optimizer.zero_grad()"),
                         {})

    def test_gradients_that_add_up_after_zeros_in_set_up(self):
        found = self.loop(before="torch.nn.init.zeros_(model[0].bias)", clear="pass")
        self.only("F-3", found, "loop.py:14", "10.28 KiB of gradients")

    def test_gradients_that_add_up(self):
        self.only("F-3", self.loop(clear="pass"), "loop.py:14", "10.28 KiB of gradients")

    def test_numbers_read_in_every_step(self):
        self.only("F-4", self.loop(inside="total += loss.item()"), self.line, "1 number is read")

    def test_tensors_printed_in_every_step(self):
        found = self.loop(inside="print(loss, output)")
        self.only("F-4", found, self.line, "2 tensors are printed in a step")

    def test_numbers_that_an_optimizer_reads(self):
        text = """
import torch
model = torch.nn.Linear(32, 8)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4, history_size=2)
batch = torch.randn(16, 32)
def closure():
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    return loss
for i in range(8):
    optimizer.step(closure)
"""
        self.assertEqual(self.written(text), {})

    def test_numbers_read_now_and_then(self):
        self.assertEqual(self.loop(inside="total += loss.item() if i % 4 == 0 else 0"), {})

    def test_fp64_by_accident(self):
        found = self.loop(before="model, batch = model.double(), batch.double()")
        self.only("F-5", found, "loop.py:11", "fp64")

    def test_fp64_by_a_target(self):
        found = self.loop(before="target = torch.ones(16, 8, dtype=torch.float64)",
                          inside="loss = (output - target).mean()")
        self.only("F-5", found, "loop.py:13", "fp64")

    def test_fp64_that_is_converted_at_once(self):
        self.assertEqual(self.loop(inside="batch = torch.ones(16, 32, dtype=torch.float64).float()"), {})

    def test_a_part_that_no_optimizer_changes(self):
        found = self.written(FROZEN.format(before="", input=""))
        # Two Linear layers: (32 * 64 + 64 + 64 * 32 + 32) * 4 bytes of gradients.
        self.only("F-6", found, "loop.py:10", "16.38 KiB of gradients", "Sequential, which no optimizer changes")

    def test_one_of_two_parts_of_a_class(self):
        text = FROZEN.format(before="other = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), "
                                    "torch.nn.Linear(64, 32))", input="")
        text = text.replace("body(batch)", "body(batch) + other(batch)")
        text = text.replace("head.parameters()", "[*head.parameters(), *other.parameters()]")
        self.only("F-6", self.written(text), "loop.py:10", "16.38 KiB of gradients", "Sequential, which no optimizer changes")
        text = text.replace("*other.parameters()", "*body.parameters()")
        self.only("F-6", self.written(text), "loop.py:10", "16.38 KiB of gradients", "Sequential#2, which no optimizer changes")

    def test_a_part_that_keeps_its_input_alone(self):
        text = FROZEN.format(before="body = torch.nn.Sequential(torch.nn.Linear(32, 32))", input="")
        # A sum needs nothing of what it adds up: the output is gone before the backward.
        found = self.written(text.replace("body(batch)", "body(batch).sum(0)"))
        # 32 * 32 + 32 numbers; 0 B of activations are not told.
        self.only("F-6", found, "loop.py:", "4.12 KiB of gradients", "Sequential, which no optimizer changes",
                  "what its backward reads was made outside of it")

    def test_a_frozen_part_that_keeps_activations(self):
        found = self.written(FROZEN.format(before="body.requires_grad_(False)", input=".requires_grad_()"))
        self.only("F-6", found, "loop.py:10", "of activations", "Sequential, which is frozen")

    def test_a_frozen_part_that_keeps_nothing(self):
        self.assertEqual(self.written(FROZEN.format(before="body.requires_grad_(False)", input="")), {})

    def test_a_frozen_part_behind_a_trained_one(self):
        text = FROZEN.format(before="body[2].requires_grad_(False)", input="")
        text = text.replace("head.parameters()", "[*head.parameters(), *body[0].parameters()]")
        self.assertEqual(self.written(text), {})


if __name__ == "__main__":
    torch, why_not = import_torch()
    if torch is None:
        print(why_not)
        sys.exit(77)
    from ready_python import ReadyPython  # noqa: E402
    from recording import environment, record  # noqa: E402
    import os
    PROGRAM = pathlib.Path(os.environ["TENSORSCOPE_ENGINE_DIR"]) / "tensorscope"
    unittest.main(argv=sys.argv[:1], verbosity=1)
