"""script_ends.py: whatever ends a script, the recording is whole up to there.

An end, an error, sys.exit, Control-C, SIGTERM, out of memory under a budget, a fork, worker processes,
threads, a part of a script, a full recording, a file that cannot be written. Without torch 2.11 in this
Python the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import skip_without_torch  # noqa: E402

STEP = """
import os, sys, threading, time
import torch
torch.set_num_threads(1)  # OpenMP's threads do not live on in a fork
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8))
optimizer = torch.optim.AdamW(model.parameters())
def step():
    optimizer.zero_grad()
    loss = model(torch.randn(4, 32)).square().mean()
    loss.backward()
    optimizer.step()
"""
OK, OOM, CANCELLED, FAILED = range(4)


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = ReadyPython(environment=environment())
        cls.addClassCleanup(cls.ready.end)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "one.recording"

    def script(self, text):
        path = self.folder / "one.py"
        path.write_text(STEP + text, encoding="utf-8")
        return path

    def record(self, text, *options, **named):
        return record(self.script(text), self.out, *options, **named)

    def quickly(self, text, *options):
        """The same where it is of no concern how this Python itself begins and ends."""
        return self.record(text, *options, python=self.ready.python)

    def recording(self, verdict, steps):
        found = Recording(self.out)
        self.assertEqual(found.header["verdict"], verdict)
        self.assertEqual(len(found.header["steps"]["recorded"]), steps)
        self.assertEqual(found.header["dropped"], 0)
        return found

    def test_an_end(self):
        ended = self.record("for _ in range(3): step()\nprint(__name__, sys.argv)", arguments=["a", "--out"])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("__main__", ended.stdout)
        self.assertIn("'a', '--out'", ended.stdout)
        self.assertIn("3 steps", ended.stderr)
        found = self.recording(OK, 3)
        self.assertEqual(found.header["script"], "one.py")
        spans = [(one.action, one.phase) for one in found.memory if one.step == 1 and one.action in (11, 12)]
        self.assertEqual(spans, [(action, phase) for phase in ("forward", "backward", "optimizer")
                                 for action in (11, 12)])
        modules = {one.name for one in found.slices}
        self.assertTrue({"Sequential", "0", "1", "2", "step 2", "Optimizer.step#AdamW.step"} <= modules)
        owners = {(one.category, one.module) for one in found.memory if one.action == OWNER}
        for category in ("parameter", "gradient", "optimizer_state"):
            self.assertIn((category, "0.weight"), owners)
        self.assertIn(("input", ""), owners)
        self.assertEqual([one.shapes for one in found.slices if one.name == "aten::addmm"][0],
                         "[64] fp32, [4, 32] fp32, [32, 64] fp32")
        self.assertTrue(any(one.module == "0 @ one.py:10" for one in found.memory))

    def test_no_environment_and_no_data_leave_the_process(self):
        os.environ["A_SECRET_OF_MINE"] = "xyzzy-environment"
        self.addCleanup(os.environ.pop, "A_SECRET_OF_MINE")
        self.quickly("word = 'xyzzy-source'\nstep()\nraise ValueError('xyzzy-error')")
        self.recording(FAILED, 1)
        content = self.out.read_bytes()
        self.assertNotIn(b"xyzzy", content)
        self.assertNotIn(str(self.folder).encode(), content)

    def test_an_error(self):
        ended = self.record("step()\nstep()\nraise ValueError('no more')")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("ValueError: no more", ended.stderr)
        self.assertNotIn("__main__.py", ended.stderr)
        found = self.recording(FAILED, 2)
        self.assertIn("ValueError at one.py:", found.header["failure"]["sentence"])

    def test_an_error_inside_a_module(self):
        self.quickly("step()\ntry:\n  model(torch.randn(3))\nexcept RuntimeError: pass\nstep()")
        found = self.recording(OK, 2)
        # Slices that were open when it was raised have ended, so that later ones are not inside them.
        inside = [one for one in found.slices if one.name == "Sequential"]
        self.assertEqual(len(inside), 3)
        self.assertLess(inside[1].end, inside[2].begin)

    def test_sys_exit(self):
        self.assertEqual(self.record("step()\nsys.exit(5)").returncode, 5)
        self.recording(FAILED, 1)
        self.assertEqual(self.record("step()\nsys.exit()").returncode, 0)
        self.recording(OK, 1)

    def signalled(self, number):
        script = self.script("step()\nprint('ready', flush=True)\nwhile True: step(); time.sleep(0.01)")
        command = [sys.executable, "-m", "tensorscope", "record", "--out", str(self.out), str(script)]
        with subprocess.Popen(command, env=environment(), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            time.sleep(0.2)
            process.send_signal(number)
            process.communicate(timeout=60)
        return process.returncode

    def test_control_c(self):
        self.assertEqual(self.signalled(signal.SIGINT), 130)
        self.assertEqual(Recording(self.out).header["verdict"], CANCELLED)

    def test_a_scheduler_ends_it(self):
        self.assertEqual(self.signalled(signal.SIGTERM), 143)
        header = Recording(self.out).header
        self.assertGreater(len(header["steps"]["recorded"]), 1)
        self.assertEqual(header["verdict"], FAILED)
        self.assertRegex(json.dumps(header), r"ended with SIGTERM at one\.py:\d+")

    def test_a_killed_process_leaves_what_came_before(self):
        part = self.out.with_name(self.out.name + ".part")
        self.quickly("step()")
        self.assertTrue(self.out.exists())
        self.assertFalse(part.exists())
        before = self.out.read_bytes()
        self.assertEqual(self.signalled(signal.SIGKILL), -signal.SIGKILL)
        self.assertEqual(self.out.read_bytes(), before)
        told = subprocess.run([pathlib.Path(os.environ["TENSORSCOPE_ENGINE_DIR"]) / "tensorscope", "summary", "--json",
                               part], capture_output=True, text=True, check=False)
        self.assertEqual(told.returncode, 0, told.stderr)
        told = json.loads(told.stdout)
        self.assertGreater(told["recorded_steps"], 1)
        self.assertIn("ended without saying how", told["sentence"])
        self.assertEqual((told["complete"], told["fault"]), (False, told["sentence"]))

    def test_a_crash_leaves_all_that_came_before(self):
        part = self.out.with_name(self.out.name + ".part")
        for crash, number in (("os.abort()", signal.SIGABRT), ("import ctypes; ctypes.string_at(0)", signal.SIGSEGV)):
            ended = self.record(f"step()\ntime.sleep(0.3)\nkept = torch.hann_window(9)\n{crash}")
            self.assertEqual(ended.returncode, -number, ended.stderr)
            self.assertIn(b"aten::hann_window", part.read_bytes())

    def test_out_of_memory_is_a_result(self):
        ended = self.quickly("step()\nkept = [torch.ones(1 << 18) for _ in range(64)]",
                            "--memory-limit", "16MiB")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("OutOfMemoryError", ended.stderr)
        failure = self.recording(OOM, 1).header["failure"]
        self.assertEqual((failure["bytes_asked"], failure["bytes_limit"]), (1 << 20, 16 << 20))
        self.assertLess(failure["bytes_free"], 1 << 20)
        self.assertIn("one.py:", failure["module"])

    def test_a_script_that_catches_it_goes_on(self):
        self.quickly("try:\n  torch.ones(1 << 24)\nexcept torch.OutOfMemoryError: pass\nstep()",
                    "--memory-limit", "16MiB")
        self.recording(OK, 1)

    def test_forks_and_workers(self):
        ended = self.record("""
from torch.utils.data import DataLoader, TensorDataset
step()
child = os.fork()
if child == 0:
    step()
    sys.exit(0)
os.waitpid(child, 0)
for batch, in DataLoader(TensorDataset(torch.ones(64, 32)), batch_size=16, num_workers=2):
    model(batch)
step()
""")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stderr.count("steps"), 1)
        self.recording(OK, 2)

    def test_a_forked_process_ends_as_without_the_recorder(self):
        done = self.record("""
import os
import signal
import time

def ended(wait):
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(there, b"begun")
        wait()
    os.read(here, 5)
    os.kill(child, signal.SIGTERM)
    return os.WTERMSIG(os.waitpid(child, 0)[1])

print("signals", ended(lambda: time.sleep(60)), ended(lambda: [None for _ in iter(int, 1)]))
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("signals 15 15", done.stdout)

    def test_threads(self):
        ended = self.quickly("""
def other():
    for _ in range(200):
        torch.nn.functional.relu(torch.ones(64, 64)).sum()
threads = [threading.Thread(target=other) for _ in range(4)]
for one in threads: one.start()
for _ in range(3): step()
for one in threads: one.join()
""")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        found = self.recording(OK, 3)
        self.assertEqual(sum(one.name == "aten::relu" for one in found.slices), 800)

    def test_a_part_with_its_own_steps_and_phases(self):
        script = self.folder / "part.py"
        script.write_text(STEP + f"""
import tensorscope
step()
tensorscope.step()
with tensorscope.record({str(self.out)!r}):
    for _ in range(2):
        with tensorscope.phase("forward"):
            loss = model(torch.randn(4, 32)).sum()
        with tensorscope.phase("my part"):
            loss.backward()
        optimizer.step()
        optimizer.step()
        tensorscope.step()
step()
""", encoding="utf-8")
        ended = subprocess.run([sys.executable, str(script)], env=environment(), capture_output=True,
                               text=True, timeout=300, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        found = Recording(self.out)
        self.assertEqual(sum(one.name == "my part" for one in found.slices), 2)
        # The script's own word counts from the first time on: before it, optimizer.step() ends a step,
        # which that word does not end again.
        self.assertEqual(len(found.header["steps"]["recorded"]), 3)
        self.assertEqual(Recording(self.out).header["script"], "part.py")

    def test_a_long_run_is_cut_and_says_so(self):
        ended = self.quickly("""
for _ in range(60):
    for _ in range(20000): torch.ones(1)
    step()
    time.sleep(0.1)
""")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        found = Recording(self.out)
        self.assertEqual(len(found.header["steps"]["recorded"]), 60)
        self.assertGreater(found.header["dropped"], 0)
        self.assertLess(self.out.stat().st_size, 48 << 20)

    def test_a_range_of_steps(self):
        ended = self.quickly("for _ in range(6): step()", "--steps", "2:4")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("6 steps, 2 of them recorded", ended.stderr)
        found = self.recording(OK, 2)
        self.assertEqual({one.step for one in found.memory}, {2, 3})
        named = [one.name for one in found.slices if one.name.startswith("step ")]
        self.assertEqual(named, ["step 2", "step 3"])
        self.assertEqual(sum(one.name == "Sequential" for one in found.slices), 2)

    def test_the_first_steps_have_the_set_up(self):
        self.quickly("for _ in range(6): step()", "--steps", ":1")
        found = self.recording(OK, 1)
        self.assertEqual({one.step for one in found.memory}, {-1, 0})

    def test_a_range_that_does_not_end(self):
        self.quickly("for _ in range(6): step()", "--steps", "4:")
        steps = {one.step for one in self.recording(OK, 2).memory}
        self.assertEqual(steps - {6}, {4, 5})  # 6: what is let go of after the last one

    def test_a_range_that_never_begins(self):
        ended = self.quickly("for _ in range(3): step()", "--steps", "7:9")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("step 7 never began", ended.stderr)
        self.assertEqual(self.recording(OK, 0).slices, [])

    def test_live_without_a_window(self):
        with unittest.mock.patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.out.parent)):
            ended = self.quickly("step()", "--live")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("no open window", ended.stderr)
        self.recording(OK, 1)

    def with_window(self, stays):
        """The output of a script of two steps whose window goes away after the first, or stays."""
        meeting = self.folder / "run" / "tensorscope"
        meeting.parent.mkdir()
        meeting.mkdir(mode=0o700)
        script = self.script("step()\nprint('ready', flush=True)\nsys.stdin.readline()\nstep()")
        command = [self.ready.python, "-m", "tensorscope", "record", "--live", "--out", str(self.out), str(script)]
        with socket.socket(socket.AF_UNIX) as window:
            window.bind(str(meeting / f"window-{os.getpid()}"))
            window.listen()
            window.settimeout(300)  # a script that fails to start never calls
            with subprocess.Popen(command, env={**environment(), "XDG_RUNTIME_DIR": str(meeting.parent)}, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                line, _ = window.accept()
                self.assertEqual(process.stdout.readline(), "ready\n")
                if not stays:
                    line.close()
                process.stdin.write("on\n")
                process.stdin.flush()
                while stays and line.recv(1 << 16):
                    pass
                line.close()
                said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 0, said)
        self.recording(OK, 2)
        return said

    def test_a_window_that_goes_away(self):
        said = self.with_window(stays=False)
        self.assertIn("tensorscope: the window stopped showing it at step 1; the file is whole\n", said)

    def test_a_window_that_stays(self):
        self.assertNotIn("window", self.with_window(stays=True))

    def test_a_file_that_cannot_be_written(self):
        script = self.script("step()\nprint('done')")
        ended = subprocess.run([self.ready.python, "-m", "tensorscope", "record", "--out", "/proc/self/one.recording",
                                str(script)], env=environment(), capture_output=True, text=True, timeout=300,
                               check=False)
        self.assertIn("done", ended.stdout)
        self.assertEqual(ended.returncode, 2, ended.stderr)

    def test_a_full_disk(self):
        # As a disk that has room until the end: the file cannot be replaced, its part is there.
        self.out.mkdir()
        ended = self.quickly("for _ in range(5):\n    step()\nprint('done')")
        self.assertEqual(ended.returncode, 2, ended.stderr)
        part = self.out.with_name(self.out.name + ".part")
        self.assertFalse(part.exists())  # beside what is no file there is none
        self.out.rmdir()
        ended = self.quickly("import os\nfor _ in range(5):\n    step()\nos.mkdir(%r)" % str(self.out))
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn(f"{part} has what was recorded", ended.stderr)
        told = subprocess.run([pathlib.Path(os.environ["TENSORSCOPE_ENGINE_DIR"]) / "tensorscope", "summary", "--json",
                               part], capture_output=True, text=True, check=False)
        self.assertEqual(json.loads(told.stdout)["recorded_steps"], 5)

    def test_a_device_that_is_full(self):
        ended = subprocess.run([self.ready.python, "-m", "tensorscope", "record", "--out", "/dev/full",
                                str(self.script("step()"))], env=environment(), capture_output=True, text=True,
                               timeout=300, check=False)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("/dev/full: No space left on device", ended.stderr)
        self.assertFalse(os.path.exists("/dev/full.part"))

    def test_a_script_that_wants_a_gpu(self):
        ended = self.quickly("torch.cuda.is_available() and sys.exit(3)\nmodel.cuda()")
        if ended.returncode != 3:
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertIn("asks for a GPU and PyTorch finds none here", ended.stderr)

    def test_the_script_is_not_overwritten(self):
        script = self.script("step()")
        before = script.read_bytes()
        ended = record(script, script)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("would be overwritten", ended.stderr)
        self.assertEqual(script.read_bytes(), before)

    def test_what_cannot_be_done_is_one_sentence(self):
        for options, words in (([str(self.folder / "none.py")], "none.py cannot be run"),
                               (["--out", str(self.folder / "no" / "a"), str(self.script(""))], "no folder"),
                               (["--memory-limit", "much", str(self.script(""))], "'much' is no size"),
                               (["--steps", "few", str(self.script(""))], "'few' are no steps"),
                               (["--steps", "5:5", str(self.script(""))], "no step is from 5 up to 5"),
                               (["--steps", "5:99999999999", str(self.script(""))], "counted up to")):
            ended = subprocess.run([sys.executable, "-m", "tensorscope", "record", *options],
                                   env=environment(), capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(words, ended.stderr)


if __name__ == "__main__":
    skip_without_torch()
    from ready_python import ReadyPython  # noqa: E402
    from recording import OWNER, Recording, environment, record  # noqa: E402
    unittest.main(argv=sys.argv[:1], verbosity=1)
