"""watch_test.py: tensorscope.watch() records the rest of a script, however it ends.

Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import skip_without_torch  # noqa: E402

SCRIPT = """
import os, sys
import torch
import tensorscope
model = torch.nn.Linear(32, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    optimizer.zero_grad()
    model(torch.ones(4, 32)).sum().backward()
    optimizer.step()
step()
"""
OK, FAILED = 0, 3


class Watch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, text, *command):
        (self.folder / "one.py").write_text(SCRIPT + text, encoding="utf-8")
        return subprocess.run([sys.executable, *command, "one.py"], env=environment(), cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False)

    def recording(self, verdict, steps, name="one.recording"):
        found = Recording(self.folder / name)
        self.assertEqual((found.header["verdict"], len(found.header["steps"]["recorded"])), (verdict, steps))
        return found

    def test_from_its_line_to_the_end(self):
        ended = self.run_script("path = tensorscope.watch()\nfor _ in range(3): step()\nprint(path)")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(pathlib.Path(ended.stdout.strip()).resolve(), (self.folder / "one.recording").resolve())
        self.assertIn("3 steps", ended.stderr)
        self.assertEqual(self.recording(OK, 3).header["script"], "one.py")

    def test_an_error_is_its_verdict(self):
        ended = self.run_script("tensorscope.watch('other.recording')\nstep()\nraise ValueError('no more')")
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr.count("ValueError: no more"), 1)
        failure = self.recording(FAILED, 1, "other.recording").header["failure"]
        self.assertIn("ValueError at one.py:", failure["sentence"])

    def test_an_error_that_is_caught_is_none(self):
        self.run_script("tensorscope.watch()\ntry: raise ValueError\nexcept ValueError: step()")
        self.recording(OK, 1)

    def test_the_number_of_exit_stays(self):
        self.assertEqual(self.run_script("tensorscope.watch()\nstep()\nsys.exit(5)").returncode, 5)
        self.recording(OK, 1)

    def test_a_fork_writes_nothing(self):
        ended = self.run_script("tensorscope.watch()\nstep()\nchild = os.fork()\n"
                                "if child == 0: sys.exit(0)\nos.waitpid(child, 0)\nstep()")
        self.assertEqual(ended.stderr.count("steps"), 1, ended.stderr)
        self.recording(OK, 2)

    def test_under_record_it_is_nothing(self):
        ended = self.run_script("print(tensorscope.watch(), tensorscope.watch())\nstep()",
                                "-m", "tensorscope", "record", "--out", "all.recording")
        self.assertEqual(ended.stdout, "None None\n", ended.stderr)
        self.assertFalse((self.folder / "one.recording").exists())
        self.recording(OK, 2, "all.recording")

    def test_a_folder_that_is_not_there_is_told_at_once(self):
        ended = self.run_script("try: tensorscope.watch('none/a')\n"
                                "except tensorscope.Unavailable as e: print(e)\nstep()")
        self.assertIn("there is no folder", ended.stdout, ended.stderr)
        self.assertEqual(ended.returncode, 0)


if __name__ == "__main__":
    skip_without_torch()
    from recording import Recording, environment  # noqa: E402
    unittest.main(argv=sys.argv[:1], verbosity=1)
