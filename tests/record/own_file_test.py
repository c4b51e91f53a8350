"""own_file_test.py TENSORSCOPE: a Python file of the user's own, described, run, predicted and exported.

own_step.py is run on the CPU under the recorder and on "meta" by the rules of the CPU, and its steps must have the same
events: bytes taken and let go of, by the same operator on the same line. Then files that are wrong in every way that
somebody's file may be: each gets one sentence, and the program ends. Without torch 2.11 in this Python the test is
skipped (exit code 77).
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import MINOR, skip_without_torch  # noqa: E402

skip_without_torch()
from own_server import STEPS, OwnProgram, in_order, taken_and_freed  # noqa: E402
from recording import ALLOC, FREED, Recording  # noqa: E402

OWN = HERE / "own_step.py"
STEP = "def build(B, T, device):\n  import torch\n  def step():\n    {}\n  return step\n"


def most_at_once(recording, op):
    """The most blocks of an operator that live at once."""
    alive, most = set(), 0
    for one in recording.memory:
        if one.action == ALLOC and one.op == op:
            alive.add(one.address)
        elif one.action == FREED:
            alive.discard(one.address)
        most = max(most, len(alive))
    return most


class OwnFile(OwnProgram):
    imported = ("torch.export._trace", "torch._export.serde.serialize")

    # The package's answer, without the program.

    def ask(self, what, file=OWN, **settings):
        return super().ask(what, file, **settings)

    def ran_and_predicted(self, file=OWN, **settings):
        ran, predicted = self.ask("record", file, **settings), self.ask("predict", file, **settings)
        self.assertTrue(ran["ok"] and predicted["ok"], (ran, predicted))
        self.assertEqual((predicted["device"], predicted["steps"]), ("meta", STEPS))
        self.assertEqual(predicted["parameters"], ran["parameters"])
        one = taken_and_freed(Recording(self.folder / "record.recording"))
        other = taken_and_freed(Recording(self.folder / "predict.recording"))
        self.assertGreater(len(one), 50)
        return one, other

    def test_prediction_has_the_events_of_a_run(self):
        for settings in ({"B": "2", "T": "24"},
                         {"B": "3", "T": "17", "layers": "3", "optimizer": "sgd", "clip": "1"},
                         {"B": "2", "T": "16", "kind": "pictures", "optimizer": "sgd"},
                         {"B": "2", "T": "16", "kind": "pictures", "optimizer": "sgd", "amp": "true"}):
            with self.subTest(settings):
                one, other = self.ran_and_predicted(**settings)
                # The threads of attention's backward make buffers when they get work, in no operator of the file's.
                threads = {size for size, op, place in one if op == "aten::empty" and not place}
                self.assertLessEqual(len(threads), 1)
                self.assertEqual(in_order(one, threads), in_order(other, threads))

    def test_fused_optimizers(self):
        file = self.own("import torch\ndef build(B, T, device, kind='AdamW', amsgrad=False, tensor=False):\n"
                        "  net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Linear(32, 8)).to(device)\n"
                        "  more = {'amsgrad': amsgrad} if 'Adam' in kind else {'momentum': 0.9} if kind == 'SGD' else {}\n"
                        "  lr = torch.tensor(0.1) if tensor else 0.1\n"
                        "  update = getattr(torch.optim, kind)(net.parameters(), lr=lr, fused=True, **more)\n"
                        "  x = torch.ones(B, 8, device=device)\n"
                        "  def step():\n    update.zero_grad()\n    net(x).mean().backward()\n    update.step()\n"
                        "  return step\n")
        for settings in ({}, {"amsgrad": "true"}, {"tensor": "true"}, {"kind": "Adam"}, {"kind": "SGD"},
                         {"kind": "Adagrad"}):
            with self.subTest(settings):
                one, other = self.ran_and_predicted(file, **settings)
                self.assertEqual(in_order(one, set()), in_order(other, set()))
        for kind in ("AdamW", "SGD"):
            answer = self.ask("predict", file, compute_capability=89, kind=kind)
            self.assertTrue(answer["ok"], answer)
            ops = {one.op for one in Recording(self.folder / "predict.recording").memory}
            self.assertFalse([op for op in ops if op in ("aten::sqrt", "aten::_foreach_sqrt", "aten::_foreach_mul")], ops)
        # A card has no such kernel.
        answer = self.ask("predict", file, compute_capability=89, kind="Adagrad")
        self.assertIn("fused=True", answer["words"]["error"])

    def test_compiled_functions_are_predicted_as_they_are_written(self):
        net = ("import torch\n{}\ndef twice(x):\n  return (x * 2).exp()\ndef build(B, T, device):\n"
               "  net = torch.nn.Linear(8, 8).to(device)\n  {}\n  x = torch.ones(B, T, 8, device=device)\n"
               "  return lambda: twice(net(x)).mean().backward()\n")
        told = []
        for above, inside, place in (("", "pass", ""), ("@torch.compile", "pass", "own.py:2 in <module>"),
                                     ("@torch.compile(dynamic=True)", "pass", "own.py:2 in <module>"),
                                     ("", "net = torch.compile(net)", "own.py:7 in build"),
                                     ("", "net.compile()", "own.py:7 in build")):
            ended = self.program("predict", "--model", self.own(net.format(above, inside)), "--gpu", "RTX 4090", "--json")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual("torch.compile" in ended.stderr, bool(place), ended.stderr)
            self.assertIn(place, ended.stderr)
            answer = json.loads(ended.stdout)
            self.assertTrue(answer["without_data"], ended.stderr)
            told.append(answer["peak_allocated"])
        self.assertEqual(told[1:], told[:1] * 4)
        # Also where a run on the CPU answers: compiled code takes other blocks.
        peaks = []
        for inside in ("pass", "net = torch.compile(net)"):
            text = net.format("", inside).replace(".mean().backward()", ".mean().item()")
            ended = self.program("predict", "--model", self.own(text), "--gpu", "RTX 4090", "--json")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual("torch.compile at own.py:7 in build" in ended.stderr, inside != "pass", ended.stderr)
            answer = json.loads(ended.stdout)
            self.assertFalse(answer["without_data"], ended.stderr)
            peaks.append(answer["peak_allocated"])
        self.assertEqual(peaks[0], peaks[1])

    def test_rules_of_a_card(self):
        for capability in (80, 89):
            answer = self.ask("predict", compute_capability=capability, B="2", T="24", amp="true")
            self.assertTrue(answer["ok"], answer)
            recording = Recording(self.folder / "predict.recording")
            ops = {one.op for one in recording.memory}
            # On a card attention in 16 bits is flash, and AdamW takes a list of all parameters.
            self.assertIn("aten::_flash_attention_forward", ops)
            self.assertNotIn("aten::_scaled_dot_product_flash_attention_for_cpu", ops)
            self.assertGreater(most_at_once(recording, "aten::sqrt"), 10)

    def test_arguments(self):
        described = self.ask("describe")
        self.assertEqual([(one["name"], one["kind"], one["default"]) for one in described["arguments"]],
                         [("B", "int", "4"), ("T", "int", "64"), ("layers", "int", "2"), ("kind", "choice", "words"),
                          ("optimizer", "choice", "adamw"), ("amp", "bool", "false"), ("clip", "float", "0.0")])
        self.assertEqual((described["arguments"][2]["low"], described["arguments"][2]["high"]), ("1", "12"))
        self.assertEqual(described["about"], "Trains a small net.")
        self.assertEqual([pathlib.Path(path).name for path in described["files"]],
                         ["own_step.py", "version.py"])

    def test_numbers_are_read_as_those_of_other_settings(self):
        file = self.own("import typing\ndef build(B, T, device, n: typing.Annotated[int, range(100, 3000)]):\n"
                        "  print(B, T, n, flush=True)\n  return lambda: None\n")
        for text, number in (("2k", 2000), ("2Ki", 2048), ("1.5k", 1500), (" 7 ", 7), ("-3", -3), ("1M", 1000000)):
            self.assertTrue(self.ask("record", file, B=text)["ok"], text)
            # Without a default it is the usual one, or the next that the file allows.
            self.assertIn(f"{number} 64 100", (self.folder / "log").read_text(encoding="utf-8"), text)
        self.assertTrue(self.ask("record", file, n="2k")["ok"])
        self.assertEqual(self.ask("record", file, n="3k")["kind"], "value_range")

    def test_numbers_in_steps(self):
        file = self.own("import torch, typing\ndef build(B, T: typing.Annotated[int, range(8, 65, 8)], device,\n"
                        "          n: typing.Annotated[int, range(60, 3, -4)] = 12):\n"
                        "  x = torch.ones(B, T, 1 << 20, device=device)\n  return lambda: None\n")
        described = self.ask("describe", file)["arguments"]
        self.assertEqual([[one[key] for key in ("default", "low", "high", "step")] for one in described[1:]],
                         [["64", "8", "64", "8"], ["12", "4", "60", "4"]])
        self.assertTrue(self.ask("record", file, B="1", T="16", n="8")["ok"])
        for name, value in (("T", "9"), ("n", "6")):
            self.assertEqual(self.ask("record", file, **{name: value})["kind"], "value_step")
        self.refused(2, "T takes 8 to 64 in steps of 8 here, and 9 is none of these", "run", "--model", file, "--set", "T=9")
        # 400 MiB for each of T: 21.9 GiB at 56 and 25 GiB at 64, and the card has 23.5 GiB.
        ended = self.program("hunt", "--model", file, "--gpu", "RTX 4090", "--set", "B=100", "--axis", "T=9:64", "--json")
        told = json.loads(ended.stdout)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual({one["at"]["T"] % 8 for one in told["probes"]}, {0}, told["probes"])
        self.assertEqual((told["every_up_to"], told["smallest_oom"]), (56, 64))

    def test_enumerations_and_any_argument(self):
        file = self.own("import enum\nclass Kind(enum.Enum):\n  one = 1\n  two = 2\n"
                        "def build(B, T, device, kind: Kind = Kind.two, **others):\n"
                        "  assert kind is Kind.one and others == {'depth': 3}\n  return lambda: None\n")
        described = self.ask("describe", file)
        self.assertEqual(described["arguments"][2]["choices"], ["one", "two"])
        self.assertTrue(described["others"])
        self.assertTrue(self.ask("record", file, kind="one", depth="3")["ok"])

    def test_arguments_without_a_control_stay_at_their_default(self):
        file = self.own("import enum, typing, torch\nclass Kind(enum.Enum):\n  one = 1\n"
                        "def build(B, T, device, k: int = None, x: float = float('inf'), sizes: list = [1, 2],\n"
                        "          n: typing.Optional[int] = None, same: typing.Literal[1, '1'] = '1', flag: bool = None,\n"
                        "          kind: Kind = None, word: str = None, m: int = 2.5, none=None, dtype=torch.float64,\n"
                        "          last: int = 3):\n"
                        "  assert (k, n, flag, kind, word, none) == (None,) * 6\n"
                        "  assert (x, sizes, same, m, dtype) == (float('inf'), [1, 2], '1', 2.5, torch.float64)\n"
                        "  return lambda: torch.ones(last, device=device, dtype=dtype)\n")
        described = self.ask("describe", file)
        self.assertEqual([one["name"] for one in described["arguments"]], ["B", "T", "last"])
        self.assertTrue(self.ask("record", file, last="2")["ok"])
        self.refused(2, "Argument sizes at own.py:4 has no control", "run", "--model", file, "--set", "sizes=3")

    def test_a_dtype_that_is_text(self):
        file = self.own("import torch\ndef build(B, T, device, dtype: str = 'bf16', more=torch.float16):\n"
                        "  assert dtype == 'fp8'\n  return lambda: None\n")
        described = self.ask("describe", file)["arguments"][2:]
        self.assertEqual(described, [{"name": "dtype", "kind": "text", "default": "bf16"}])
        self.assertTrue(self.ask("record", file, dtype="fp8")["ok"])

    def test_functions_of_any_form(self):
        step = "  import torch\n  return lambda: torch.ones(B, device=device)\n"
        for text in ("import functools\ndef of(z, B, T, device, n: int = 3):\n" + step
                     + "build = functools.partial(of, 5)\n",
                     "def build(B: int, T: int, device, n: int = 3, /):\n" + step,
                     "def build(B, T, n: int = 3, /, *, device):\n" + step,
                     "class Made:\n def __call__(self, B, T, device, n: int = 3):\n"
                     + step.replace("  ", "   ") + "build = Made()\n",
                     "class build:\n def __init__(self, B, T, device, n: int = 3):\n   self.n = n\n"
                     " def __call__(self):\n   pass\n"):
            with self.subTest(text):
                described = self.ask("describe", self.own(text))
                self.assertTrue(described["ok"], described)
                self.assertEqual([one["name"] for one in described["arguments"]], ["B", "T", "n"])
                ran = self.ask("record", self.own(text), n="4")
                self.assertTrue(ran["ok"], ran)
        wrong = self.ask("record", self.own("import functools\ndef of(B, T, device):\n  pass\n"
                                            "build = functools.partial(of, 5)\n"))
        self.assertEqual((wrong["kind"], wrong["words"]["function"]), ("no_step", "of"))

    def test_threads_that_make_tensors(self):
        thread = ("import threading, torch\nfrom concurrent.futures import ThreadPoolExecutor\n"
                  "def build(B, T, device):\n  net = torch.nn.Linear(8, 8).to(device)\n"
                  "  def work():\n    net(torch.ones(B, 8, device=device)).sum().backward()\n"
                  "  def others():\n    torch.ones(B, 8)\n"
                  "  def step():\n    work()\n    {}\n  return step\n")
        start = "one = threading.Thread(target={}); one.start(); one.join()"
        for code in (start.format("work"), "with ThreadPoolExecutor(1) as pool: list(pool.map(lambda _: work(), (1, 2)))"):
            file = self.own(thread.format(code))
            told = self.program("predict", "--model", file, "--cpu", "--json")
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertIn("a thread of its own makes tensors", told.stderr)
            self.assertIn("own.py:11 in step", told.stderr)
            self.assertIn("on the CPU", told.stderr)
            ran = self.ask("record", file)
            self.assertEqual(json.loads(told.stdout)["peak_allocated"], ran["peak_bytes"])
        # A thread without tensors on the device does not matter.
        for code in (start.format("others"), start.format("print")):
            answer = self.ask("predict", self.own(thread.format(code)))
            self.assertTrue(answer["ok"], answer)

    # The program.

    def test_run(self):
        out = self.folder / "run"
        ended = self.program("run", "--model", f"{OWN}:build", "--set", "B=2", "--set", "T=24", "--steps", "2", "--out",
                             out, "--json")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        told = json.loads(ended.stdout)
        self.assertEqual(len(told["steps"]), 2)
        self.assertEqual(told["own_file"]["settings"], {"B": "2", "T": "24"})
        found = Recording(out / "own.recording")
        self.assertEqual(found.header["script"], "own_step.py")
        self.assertTrue(any(one.name == "aten::linear" for one in found.slices))
        summary = self.program("summary", "--json", out / "own.recording")
        self.assertEqual(json.loads(summary.stdout)["kind"], "recording")
        self.assertNotIn("timed_steps", json.loads(summary.stdout))  # all are recorded

    def test_predict(self):
        asked = ("predict", "--model", OWN, "--set", "B=2", "--set", "T=24", "--json")
        here = self.program(*asked, "--cpu")
        self.assertEqual(here.returncode, 0, here.stderr)
        self.ask("record", B="2", T="24")
        ran = Recording(self.folder / "record.recording").header["allocator_peak"]
        told = json.loads(here.stdout)
        self.assertLessEqual(ran, told["peak_allocated"])
        self.assertLessEqual(told["peak_allocated"] - told["apart"], ran)
        self.assertLess(told["apart"], 1000)
        card = self.program(*asked, "--gpu", "RTX 4090", "--out", self.folder / "out")
        told = json.loads(card.stdout)
        self.assertTrue(told["without_data"])
        self.assertEqual(told["verdict"], "fits")
        self.assertTrue((self.folder / "out" / "predicted_snapshot.pickle").exists())
        # Too large for any card, and of no concern to this machine.
        large = self.program(*asked[:-1], "--set", "B=65536", "--set", "T=4096", "--gpu", "RTX 4090")
        self.assertEqual(large.returncode, 0, large.stderr)
        self.assertIn("own_step.py:", large.stdout)

    def test_squares_of_attention_by_hand(self):
        # By the course: 4 squares at the peak of the forward, 6 at that of the backward. Sums of rows are less than a
        # tenth of one at this T.
        square = 4096 * 4096 * 4
        for backward, squares in (("false", 4), ("true", 6)):
            ended = self.program("predict", "--model", HERE / "squares.py", "--set", "B=1",
                                 "--set", "T=4096", "--set", f"backward={backward}", "--gpu", "h200", "--json")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            found = json.loads(ended.stdout)["by_category"]["temporary"] / square
            self.assertGreaterEqual(found, squares)
            self.assertLess(found, squares + 0.1)

    def test_modules_that_are_moved_keep_their_parameters(self):
        # Tied weights, and an optimizer that has them from before.
        file = self.own("import torch\nclass Net(torch.nn.Module):\n  def __init__(self):\n    super().__init__()\n"
                        "    self.words = torch.nn.Embedding(500, 64)\n"
                        "    self.head = torch.nn.Linear(64, 500, bias=False)\n"
                        "    self.head.weight = self.words.weight\n"
                        "  def forward(self, x):\n    return self.head(self.words(x))\n"
                        "def build(B, T, device):\n  net = Net()\n"
                        "  optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\n  net.to(device)\n"
                        "  x = torch.zeros(B, T, dtype=torch.long, device=device)\n"
                        "  def step():\n    optimizer.zero_grad()\n    net(x).mean().backward()\n"
                        "    optimizer.step()\n  return step\n")
        predicted = json.loads(self.program("predict", "--model", file, "--cpu", "--json").stdout)
        self.assertEqual(predicted["parameters"], 500 * 64)
        self.ask("record", file)
        ran = Recording(self.folder / "record.recording").header["allocator_peak"]
        self.assertEqual(predicted["peak_allocated"], ran)
        # The same in a file that export writes, of the module itself if it is compiled.
        text = file.read_text(encoding="utf-8")
        for compiled in ("", "  net = torch.compile(net)\n"):
            out = self.folder / "net.pt2"
            done = self.program("export", self.own(text.replace("  def step()", compiled + "  def step()")), "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Net: x [open, open]", done.stdout)
            told = json.loads(self.program("predict", "--model", out, "--cpu", "--json").stdout)
            self.assertEqual(told["parameters"], 500 * 64)

    def test_large_modules_that_are_moved_take_no_memory_of_the_host(self):
        file = self.own("import resource, torch\ndef build(B, T, device):\n"
                        "  most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10\n  before = most()\n"
                        "  net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Linear(32, 1 << 24, bias=False))\n"
                        "  small = net[0].weight.abs().sum().item()\n  assert small > 0\n"
                        "  generator = torch.Generator().manual_seed(3)\n"
                        "  order = torch.randperm(8, generator=generator).tolist()\n"
                        "  assert sorted(torch.tensor(order).tolist()) == list(range(8))\n"
                        "  net.to(device)\n  print('grew', most() - before, 'MiB', flush=True)\n"
                        "  x = torch.ones(1, 8, device=device)\n  return lambda: net(x).sum().backward()\n")
        answer = self.ask("predict", file)  # 2 GiB of weights
        self.assertTrue(answer["ok"], answer)
        self.assertEqual((answer["device"], answer["parameters"]), ("meta", 8 * 32 + 32 + (32 << 24)))
        words = (self.folder / "log").read_text(encoding="utf-8").split()
        self.assertLess(int(words[words.index("grew") + 1]), 300)

    def test_numbers_of_tensors_without_data(self):
        file = self.own("import torch\ndef build(B, T, device):\n  x = torch.ones(B, T, device=device)\n"
                        "  def step():\n    if x.sum().item() > 0:\n      torch.ones(1024, device=device)\n  return step\n")
        ended = self.program("predict", "--model", file, "--gpu", "RTX 4090", "--json")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("own.py:5 in step", ended.stderr)
        self.assertIn("on the CPU", ended.stderr)
        self.assertFalse(json.loads(ended.stdout)["without_data"])
        for code in ("bool(x)", "x.nonzero()", "x.cpu().numpy()", "x.tolist()", "x[x > 0]"):
            file.write_text(f"import torch\ndef build(B, T, device):\n  x = torch.ones(1, device=device)\n"
                            f"  return lambda: {code}\n", encoding="utf-8")
            answer = self.ask("predict", file)
            self.assertEqual(answer.get("kind"), "needs_data", (code, answer))
            self.assertEqual(answer["frames"], ["own.py:4 in <lambda>"])

    def test_files_that_are_wrong(self):
        # own_process_test checks the sentence that each of them gets.
        self.refused(2, "own.py has no function build", "run", "--model", self.own("x = 1\n"))
        self.refused(1, "at own.py:4 in step", "predict", "--model",
                     self.own(STEP.format("torch.ones(2, 3) @ torch.ones(2, 3)")))

    def test_arguments_that_are_wrong(self):
        self.refused(2, "B is a whole number, not few", "run", "--model", OWN, "--set", "B=few")
        self.refused(2, "layers lies between 1 and 12", "predict", "--model", OWN, "--set", "layers=13")
        self.refused(2, "layers lies between 1 and 12", "predict", "--model", OWN, "--set", "layers=0")
        for text in ("2.5", "2K", "2 kB", "1_0", "0x2", "٣", ""):
            self.refused(2, "B is a whole number, not", "run", "--model", OWN, "--set", f"B={text}")
        for text in ("inf", "nan", "1_0"):
            self.refused(2, "clip is a number, not", "run", "--model", OWN, "--set", f"clip={text}")
        self.refused(2, "--set takes ARGUMENT=VALUE", "run", "--model", OWN, "--set", "B")
        self.refused(2, "cannot be used: No such file", "run", "--model", self.folder / "none.py")
        self.refused(2, "--data-parallel", "predict", "--model", OWN, "--ranks", "2")
        self.refused(2, "own_step.py needs Python", "script", "--model", OWN)
        self.refused(2, "neither a workload", "run", "lm", "--model", OWN)

    def test_a_file_that_hangs(self):
        begun = self.folder / "begun"
        file = self.own(STEP.format(f"import time; open({str(begun)!r}, 'w').write(str(__import__('os').getpid())); "
                                    "time.sleep(1000)"))
        self.refused(1, "own.py did not end within 8 s and was ended, at own.py:4 in step", "run", "--model", file, "--time-limit", "8")
        self.assert_gone(int(begun.read_text()))

    def test_control_c(self):
        begun = self.folder / "begun"
        file = self.own(STEP.format(f"import time; open({str(begun)!r}, 'w').write(str(__import__('os').getpid())); "
                                    "time.sleep(1000)"))
        with subprocess.Popen([self.path, "run", "--model", str(file)], stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "TENSORSCOPE_PYTHON": sys.executable}) as process:
            self.wait_for(lambda: begun.exists() and begun.read_text())
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("Cancelled while own.py ran, at own.py:4 in step", said)
        self.assert_gone(int(begun.read_text()))

    def test_the_program_is_killed(self):
        begun = self.folder / "begun"
        file = self.own(STEP.format(f"import time; open({str(begun)!r}, 'w').write(str(__import__('os').getpid())); "
                                    "time.sleep(1000)"))
        with subprocess.Popen([self.path, "run", "--model", str(file)], stderr=subprocess.DEVNULL,
                              env={**os.environ, "TENSORSCOPE_PYTHON": sys.executable}) as process:
            self.wait_for(lambda: begun.exists() and begun.read_text())
            process.kill()
        self.assert_gone(int(begun.read_text()))

    def test_a_python_that_cannot_do_it(self):
        self.refused(2, "No such file", "run", "--model", OWN, TENSORSCOPE_PYTHON="/no/python")
        bare = self.folder / "bare"
        bare.write_text(f"#!/bin/sh\nexec {sys.executable} -S -E \"$@\"\n", encoding="utf-8")
        bare.chmod(0o755)
        said = self.refused(2, f"torch {MINOR} is not installed in this Python", "run", "--model", OWN,
                            TENSORSCOPE_PYTHON=str(bare))
        self.assertIn(str(bare), said)

    def test_a_chosen_python_is_remembered(self):
        chosen = self.folder / "chosen"
        chosen.write_text(f"#!/bin/sh\nexec {sys.executable} \"$@\"\n", encoding="utf-8")
        chosen.chmod(0o755)
        first = self.program("run", "--model", OWN, "--steps", "1", "--python", chosen, "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        again = self.program("run", "--model", OWN, "--steps", "1", "--json", TENSORSCOPE_PYTHON="")
        self.assertEqual(json.loads(again.stdout)["own_file"]["python"], str(chosen))
        doctor = json.loads(self.program("doctor", "--json", TENSORSCOPE_PYTHON="").stdout)
        found = next(one for one in doctor["findings"] if one["id"] == "python")
        self.assertIn(str(chosen), found["found"])
        self.assertIn("torch " + MINOR, found["found"])

    def test_export(self):
        out = self.folder / "model.pt2"
        done = self.program("export", OWN, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Words", done.stdout)
        again = self.program("predict", "--model", out, "--set", "B=2", "--set", "T=24", "--set", "loss=mean", "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["spec"]["B"], 2)
        done = self.program("export", OWN, "-o", out, "--set", "B=1.5k")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.refused(2, "B is a whole number, not few", "export", OWN, "-o", out, "--set", "B=few")
        # Frozen parameters are weights, too, without gradients.
        file = self.own("import torch\nclass Net(torch.nn.Sequential):\n  pass\n"
                        "def build(B, T, device):\n  net = Net(torch.nn.Linear(8, 64), torch.nn.Linear(64, 4)).to(device)\n"
                        "  net[0].requires_grad_(False)\n  x = torch.ones(B, 8, device=device)\n"
                        "  def step():\n    net(x).mean().backward()\n  return step\n")
        done = self.program("export", file, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        frozen, trained = 9 * 64, 65 * 4
        asked = ("predict", "--model", out, "--set", "loss=mean", "--set", "pass=full_step", "--json")
        told = json.loads(self.program(*asked, "--cpu").stdout)
        self.assertEqual(told["by_category"]["parameter"], 4 * (frozen + trained))
        self.assertLessEqual(told["by_category"].get("gradient", 0), 4 * trained)
        self.assertIn(told["by_category"]["optimizer_state"] - 2 * 4 * trained, (0, 4))  # and the number of steps
        # A file without numbers of its weights, as this export makes it, runs and says so.
        import torch
        whole, bare = self.folder / "whole.pt2", self.folder / "bare.pt2"
        torch.export.save(torch.export.export(torch.nn.Linear(8, 4), (torch.ones(2, 8),)), str(whole))
        with zipfile.ZipFile(whole) as read, zipfile.ZipFile(bare, "w") as made:
            for member in read.infolist():
                if "/data/weights/weight_" not in member.filename:
                    made.writestr(member, read.read(member))
        for file, words in ((whole, ""), (bare, "2 of 2 weights and tables have no numbers in bare.pt2"),
                            (out, "4 of 4 weights and tables have no numbers in model.pt2")):
            ran = self.program("run", "--model", file, "--set", "loss=mean", "--json")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn(words, ran.stderr)
            self.assertEqual("have no numbers" in ran.stderr, bool(words))
        file = self.own("import torch\nclass Net(torch.nn.Module):\n  def forward(self, x):\n"
                        "    return x[:int(x.sum().item())]\n"
                        "def build(B, T, device):\n  return lambda: Net()(torch.ones(B, T, device=device))\n")
        self.refused(1, "torch.export cannot take Net", "export", file, "-o", out)
        self.refused(2, "no nn.Module", "export", self.own(STEP.format("torch.ones(2)")), "-o", out)
        self.refused(2, "export takes FILE.py", "export", "model.txt", "-o", out)

    def test_dimensions_of_exported_files(self):
        import torch

        class Twice(torch.nn.Module):
            def forward(self, x):
                return x * 2

        class Sum(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(8, 8)

            def forward(self, x):
                return self.linear(x).sum()

        path = self.folder / "model.pt2"
        asked = ("predict", "--model", path, "--cpu")

        def export(net, shape, open_sizes=()):
            sizes = {at: torch.export.Dim(f"d{at}", min=2, max=20) for at in open_sizes}
            torch.export.save(torch.export.export(net, (torch.ones(shape),), dynamic_shapes=(sizes,)), str(path))

        export(Twice(), (3, 4, 5, 6, 7, 8, 9), range(7))
        peaks = []
        for length in (8, 12):
            done = self.program(*asked, "--set", f"T={length}", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("x[6] = 9 stay as they were exported", done.stderr)
            peaks.append(json.loads(done.stdout)["peak_allocated"])
        self.assertEqual(peaks[1] - peaks[0], 2 * 4 * 3 * 4 * 5 * 6 * 7 * (12 - 8) * 9)
        export(Twice(), (3, 4), (0,))
        done = self.program(*asked, "--set", "T=9", "--set", "dim1=5")
        self.assertEqual(done.stderr.count("the model has no such dimension"), 2, done.stderr)
        export(Sum(), (3, 8))
        self.refused(2, "model.pt2 has no open dimension to hunt along", "hunt", "--model", path, "--axis", "B")
        self.refused(2, "output has no classes for a cross entropy", *asked, "--set", "loss=cross_entropy")

    def test_export_where_no_room_is(self):
        # Files that may not grow stand for a disk that is full; the answer is smaller than the module.
        out = self.folder / "model.pt2"
        ended = subprocess.run([self.path, "export", str(OWN), "--set", "layers=12", "-o", str(out)], check=False,
                               capture_output=True, text=True, env={**os.environ, "TENSORSCOPE_PYTHON": sys.executable},
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2**17, 2**17)))
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn(f"{out} cannot be used: File too large", ended.stderr)
        self.assertFalse(list(self.folder.glob("*.pt2")))

    def test_export_of_checkpoints(self):
        # Both forms: the file has none, says so, and has the gradients of a net without.
        out, asked = self.folder / "model.pt2", ("--set", "loss=mean", "--set", "pass=forward+backward", "--cpu", "--json")
        net = ("import torch\nfrom torch.utils.checkpoint import checkpoint\nclass Net(torch.nn.Module):\n"
               "  def __init__(self):\n    super().__init__()\n"
               "    self.parts = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(3))\n"
               "  def forward(self, x):\n    for part in self.parts:\n      x = {}\n    return x\n"
               "def build(B, T, device):\n  net, x = Net().to(device), torch.ones(B, T, 8, device=device)\n"
               "  return lambda: net(x).mean().backward()\n")
        told = []
        for call in ("part(x)", "checkpoint(part, x, use_reentrant=False)", "checkpoint(part, x, use_reentrant=True)"):
            done = self.program("export", self.own(net.format(call)), "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("torch.export writes no checkpoint" in done.stderr, call != "part(x)", done.stderr)
            self.assertEqual(done.stderr.count("own.py:9 in forward"), call != "part(x)")
            answer = json.loads(self.program("predict", "--model", out, *asked).stdout)
            told.append({name: answer[name] for name in ("peak_allocated", "by_category", "parameters")})
        self.assertEqual(told[1:], told[:1] * 2)


if __name__ == "__main__":
    OwnProgram.path = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=1)
