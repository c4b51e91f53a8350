"""own_points_test.py TENSORSCOPE: sweeps, comparisons and hunts over the arguments of a Python file of the user's own.

Every point is compared with what predict or the recorder says about its settings alone. Without torch 2.11 in this
Python the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import skip_without_torch  # noqa: E402

skip_without_torch()
from own_server import OwnProgram  # noqa: E402
from recording import Recording  # noqa: E402

OWN = HERE / "own_step.py"
# Without attention, whose backward has threads that make buffers in some runs: its peak is the same in each.
PLAIN = ("import torch\ndef build(B, T, device, layers: int = 1, optimizer: str = 'adamw'):\n"
         "  net = torch.nn.Sequential(*(torch.nn.Linear(32, 32) for _ in range(layers))).to(device)\n"
         "  x = torch.ones(B, T, 32, device=device)\n"
         "  kind = {'adamw': torch.optim.AdamW, 'sgd': torch.optim.SGD}[optimizer]\n"
         "  update = kind(net.parameters(), lr=0.1)\n"
         "  def step():\n    update.zero_grad()\n    net(x).mean().backward()\n    update.step()\n"
         "  return step\n")


class OwnPoints(OwnProgram):
    def test_hunt(self):
        # 4 bytes for each of B * T * 1024 numbers, and as many again.
        file = self.own("import torch, typing\ndef build(B, T: typing.Annotated[int, range(1, 65)], device, big: bool = False):\n"
                        "  x = torch.ones(B, T, 1024, device=device)\n  def step():\n    x + 1\n"
                        "    if big: x.sum().item()\n  return step\n")
        asked = ("hunt", "--model", file, "--gpu", "RTX 4090", "--set", "T=4")
        told = json.loads(self.program(*asked, "--axis", "B=1:1M", "--json").stdout)
        fits = told["every_up_to"]
        self.assertEqual(told["smallest_oom"], fits + 1)
        for batch in (fits, fits + 1):
            ended = self.program("predict", "--model", file, "--gpu", "RTX 4090", "--set", "T=4", "--set", f"B={batch}",
                                 "--json")
            self.assertEqual(json.loads(ended.stdout)["verdict"] == "fits", batch == fits)
        self.assertGreater(2 * (fits + 1) * 4 * 1024 * 4, 23 << 30)
        all_fit = json.loads(self.program(*asked, "--axis", "T", "--json").stdout)
        self.assertEqual((all_fit["every_up_to"], all_fit["smallest_oom"]), (64, None))
        self.refused(2, "own.py has none: predict says why", *asked, "--axis", "T", "--set", "big=true")
        self.refused(2, "no whole number layers", *asked, "--axis", "layers")

    def test_hunt_over_two_axes(self):
        # 4096 bytes for each of B * T, and as many again.
        file = self.own("import torch\ndef build(B: int, T: int, device, big: bool = False):\n"
                        "  x = torch.ones(B, T, 1024, device=device)\n  def step():\n    x + 1\n"
                        "    if big: x.sum().item()\n  return step\n")
        asked = ("hunt", "--model", file, "--gpu", "RTX 4090", "--axis", "B=256:4096", "--axis", "T=256:4096")
        out = self.folder / "map"
        ended = self.program(*asked, "--json", "--out", out, "--parts", "tables")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        told = json.loads(ended.stdout)
        self.assertEqual(told["spec"]["file"], str(file))
        fits = {(one["at"]["B"], one["at"]["T"]): one["verdict"] for one in told["cells"]}
        for (batch, length), fit in fits.items():
            self.assertEqual(fit != "oom", 2 * batch * length * 4096 < 23 << 30, (batch, length))
        self.assertEqual({fit == "oom" for fit in fits.values()}, {True, False})
        self.assertEqual(json.loads((out / "hunt.json").read_text(encoding="utf-8"))["spec"]["file"], str(file))
        self.assertIn("own.py:build()", (out / "hunt.md").read_text(encoding="utf-8"))
        self.refused(2, "own.py has none: predict says why", *asked, "--set", "big=true")
        self.refused(2, "B is given twice", *asked[:-1], "B=1:4")
        self.refused(2, "one axis or over two", *asked, "--axis", "T=1:4")

    def points(self, *arguments):
        ended = self.program("sweep", "--out", self.folder / "points", *arguments)
        return ended, json.loads((self.folder / "points" / "points.json").read_text(encoding="utf-8"))["points"]

    def test_sweep(self):
        asked = ("--model", OWN, "--set", "B=2", "--axis", "T=16,24", "--series", "optimizer=adamw,sgd")
        ended, points = self.points(*asked, "--predict", "--gpu", "RTX 4090")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([(one["at"]["T"], one["at"]["optimizer"], one["status"]) for one in points],
                         [(length, optimizer, "predicted") for optimizer in ("adamw", "sgd") for length in ("16", "24")])
        figures = {path.name for path in (self.folder / "points").glob("*.[ps][nv]g")}
        self.assertEqual(figures, {"memory.png", "memory.svg"})
        for one in points:
            settings = [f"{name}={value}" for name, value in one["at"].items()]
            told = self.program("predict", "--model", OWN, "--set", "B=2", "--set", settings[0], "--set", settings[1],
                                "--gpu", "RTX 4090", "--json")
            self.assertEqual(json.loads(told.stdout)["needed"], one["needed"])
        plain = self.own(PLAIN)
        ended, points = self.points("--model", plain, *asked[2:], "--steps", "4", "--set", "layers=1")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([(one["status"], one["step_ms"]["n"]) for one in points], [("ok", 4)] * 4)
        self.ask("record", plain, B="2", T="24", layers="1", optimizer="sgd")
        self.assertEqual(points[3]["peak_allocated"], Recording(self.folder / "record.recording").header["allocator_peak"])
        figures = {path.name for path in (self.folder / "points").glob("*.[ps][nv]g")}
        self.assertEqual(figures, {"times.png", "times.svg", "memory.png", "memory.svg"})
        memory = (self.folder / "points" / "memory.svg").read_text(encoding="utf-8")
        for words in ("MiB at most", "optimizer = sgd", "optimizer = adamw", ">T<"):
            self.assertIn(words, memory)
        table = (self.folder / "points" / "points.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual((len(table), table[0].split(",")[:2]), (5, ["T", "optimizer"]))

    def test_a_sweep_goes_on(self):
        # Every point leaves a line of its own for each process that asked for it.
        file = self.own("import os, torch\ndef build(B: int, T: int, device):\n"
                        "  with open(os.path.dirname(__file__) + '/asked', 'a') as asked: asked.write(f'{T} ')\n"
                        "  if os.path.exists(os.path.dirname(__file__) + '/fails') and T > 2: raise ValueError('odd')\n"
                        "  x = torch.ones(B, T, device=device)\n  return lambda: x + 1\n")
        asked, fails = self.folder / "asked", self.folder / "fails"
        fails.touch()
        sweep = ("--model", file, "--axis", "T=1,2,4", "--steps", "2")
        ended, first = self.points(*sweep)
        self.assertEqual((ended.returncode, [one["status"] for one in first]), (1, ["ok", "ok", "failed"]))
        self.assertIn("--resume asks for the rest", ended.stderr)
        fails.unlink()
        asked.unlink()
        # As a process that was killed leaves it: without its list, and with a point that was not asked for.
        known = json.loads((self.folder / "points" / "points.json").read_text(encoding="utf-8"))
        known["points"][1]["status"] = "pending"
        for path in (self.folder / "points").iterdir():
            path.unlink()
        (self.folder / "points" / "points.json").write_text(json.dumps(known), encoding="utf-8")
        ended, points = self.points(*sweep, "--resume")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([one["status"] for one in points], ["ok"] * 3)
        self.assertEqual(set(asked.read_text(encoding="utf-8").split()), {"2", "4"})
        self.assertEqual(points[0], first[0])
        again = ("sweep", "--out", self.folder / "points", "--resume")
        self.refused(2, "is no sweep of the same file and settings", *again, *sweep[:3], "T=1,2", "--steps", "2")
        with file.open("a", encoding="utf-8") as more:
            more.write("\n")
        self.refused(2, "has changed (content)", *again, *sweep)
        (self.folder / "points" / "points.json").write_text("[]", encoding="utf-8")
        self.refused(2, "is no sweep", *again, *sweep)

    def test_sweeps_of_points_that_fail(self):
        # One that this machine has no memory for is not run; one that never ends makes larger ones too slow.
        file = self.own("import torch\ndef build(B: int, T: int, device, kind: str = 'plain'):\n"
                        "  x = torch.ones(T, 1 << 20, device=device)\n  def step():\n"
                        "    if kind == 'raise' and T == 2: raise ValueError('odd')\n"
                        "    while kind == 'hang' and T > 1 and device.type == 'cpu': pass\n"
                        "    x + 1\n  return step\n")
        ended, points = self.points("--model", file, "--axis", "T=1,2,4,1M", "--steps", "2", "--time-limit", "8",
                                    "--series", "kind=plain,raise,hang")
        self.assertEqual([one["status"] for one in points],
                         ["ok", "ok", "ok", "oom", "ok", "failed", "ok", "oom", "ok", "too_slow", "too_slow", "too_slow"])
        self.assertEqual(ended.returncode, 1)
        self.assertIn("ValueError: odd, at own.py:5 in step", ended.stdout)
        self.assertIn("own.py did not end within 8 s", ended.stdout)
        sweep = ("sweep", "--out", self.folder / "none", "--model", file)
        self.refused(2, "The function has no argument layers; it has B, T, kind", *sweep, "--axis", "layers=1,2")
        self.refused(2, "kind is not a number", *sweep, "--axis", "kind=1,2")
        self.refused(2, "T is given twice", *sweep, "--axis", "T=1,2", "--series", "T=3,4")
        self.refused(2, "--gpu needs --predict", *sweep, "--axis", "T=1,2", "--gpu", "RTX 4090")
        self.refused(2, "Cannot read", *sweep, "--axis", "T=1,2", "--resume")
        self.refused(2, "no valid Python", *sweep[:-1], self.own("def"), "--axis", "T=1,2")

    def test_two_settings_by_turns(self):
        out = self.folder / "pair"
        plain = self.own(PLAIN)
        asked = ("ab", "--model", plain, "--set", "B=2", "--set", "T=16", "--set", "layers=1")
        ended = self.program(*asked, "--with", "layers=4", "--pairs", "12", "--json", "--out", out)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        told = json.loads(ended.stdout)
        self.assertEqual(told["differences"], [{"key": "layers", "a": "1", "b": "4"}])
        self.assertEqual(told["ratio"]["total"]["pairs"], 12)
        self.assertEqual([len(told[side]["samples_ms"]["timed"]) for side in "ab"], [12, 12])
        for side, layers in (("a", "1"), ("b", "4")):
            self.ask("record", plain, B="2", T="16", layers=layers)
            peak = Recording(self.folder / "record.recording").header["allocator_peak"]
            self.assertEqual(told[side]["peak_allocated"], peak)
        self.assertIn("layers: A 1, B 4", (out / "comparison.md").read_text(encoding="utf-8"))
        self.refused(2, "A and B have the same settings", *asked, "--with", "optimizer=adamw")
        self.refused(2, "no argument layer;", *asked, "--with", "layer=2")
        self.refused(2, "sweep tries those", "advise", "--model", OWN)

    def test_control_c_in_a_sweep(self):
        begun = self.folder / "begun"
        file = self.own(f"import os, time, torch\ndef build(B, T, device):\n  x = torch.ones(T, device=device)\n"
                        f"  def step():\n    if T > 1 and x.device.type == 'cpu':\n"
                        f"      open({str(begun)!r}, 'w').write(str(os.getpid())); time.sleep(1000)\n  return step\n")
        out = self.folder / "points"
        with subprocess.Popen([self.path, "sweep", "--model", str(file), "--axis", "T=1,2,3", "--steps", "1", "--out", out],
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                              env={**os.environ, "TENSORSCOPE_PYTHON": sys.executable}) as process:
            self.wait_for(lambda: begun.exists() and begun.read_text())
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1, said)
        points = json.loads((out / "points.json").read_text(encoding="utf-8"))["points"]
        self.assertEqual([one["status"] for one in points], ["ok", "cancelled", "cancelled"])
        self.assert_gone(int(begun.read_text()))


if __name__ == "__main__":
    OwnProgram.path = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=1)
