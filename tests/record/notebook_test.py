"""notebook_test.py: %%tensorscope runs a cell, records it and shows it.

Where this Python has IPython its own shell is used; else one with the three functions of IPython's documented
interface that the extension calls. Without torch 2.11 the test is skipped (exit code 77).
"""

import base64
import contextlib
import io
import pathlib
import re
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import skip_without_torch  # noqa: E402

CELL = """import torch
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(8, 64)).sum().backward()
    optimizer.step()
answer = 42
"""


class Shell:
    """run_cell(), register_magic_function() and display_pub.publish() of an InteractiveShell."""

    def __init__(self):
        self.user_ns, self.magics, self.published = {}, {}, []
        self.display_pub = types.SimpleNamespace(publish=self.published.append)

    def register_magic_function(self, function, magic_kind="line", magic_name=None):
        self.magics[magic_kind, magic_name] = function

    def run_cell(self, cell):
        result = types.SimpleNamespace(error_before_exec=None, error_in_exec=None)
        try:
            exec(compile(cell, "cell_1.py", "exec"), self.user_ns)
        except SyntaxError as problem:
            result.error_before_exec = problem
        except Exception as problem:
            result.error_in_exec = problem
        return result

    def run_cell_magic(self, name, line, cell):
        return self.magics["cell", name](line, cell)


def make_shell():
    try:
        from IPython.core.interactiveshell import InteractiveShell
    except ImportError:
        return Shell()
    shell = InteractiveShell()
    shell.published = []
    shell.display_pub.publish = lambda data, *_, **__: shell.published.append(data)
    return shell


class Notebook(unittest.TestCase):
    def setUp(self):
        self.shell = make_shell()
        tensorscope.load_ipython_extension(self.shell)
        self.addCleanup(sys.modules.__setitem__, "__main__", sys.modules["__main__"])

    def run_it(self, line, cell):
        words = io.StringIO()
        with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
            self.shell.run_cell_magic("tensorscope", line, cell)
        return words.getvalue()

    def test_picture_sentence_and_table(self):
        words = self.run_it("", CELL)
        self.assertEqual(self.shell.user_ns["answer"], 42, words)
        self.assertEqual(len(self.shell.published), 1, words)
        page, text = self.shell.published[0]["text/html"], self.shell.published[0]["text/plain"]
        self.assertRegex(text.splitlines()[0], r"^3 steps, at most [\d.]+ KiB of tensors$")
        picture = base64.b64decode(re.search("base64,([^']*)'", page)[1])
        self.assertTrue(picture.startswith(b"\x89PNG"))
        self.assertGreater(len(picture), 5000)
        self.assertRegex(text, r"(?m)  cell_\d+\.py:6$")
        self.assertIn(text.split()[-1], page)
        self.assertEqual(page.count("<tr>"), len(text.splitlines()))

    def test_a_recording_that_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "kept.recording"
            self.run_it(f"--out {out}", CELL)
            self.assertEqual(len(Recording(out).header["steps"]["recorded"]), 3)
            self.assertIn("kept.recording", self.shell.published[0]["text/html"])

    def test_an_error_in_the_cell_is_the_verdict(self):
        self.run_it("", CELL + "raise ValueError('no more')\n")
        self.assertIn("ValueError", self.shell.published[0]["text/plain"].splitlines()[0])
        self.run_it("", CELL)  # and the next cell is recorded again
        self.assertTrue(self.shell.published[1]["text/plain"].startswith("3 steps"))

    def test_out_of_memory_is_a_result(self):
        self.run_it("--memory-limit 1MiB", "import torch\ntorch.ones(1 << 20)\n")
        self.assertRegex(self.shell.published[0]["text/plain"].splitlines()[0],
                         r"cell_\d+.py:2 needs 4.00 MiB, 1.00 MiB free of 1.00 MiB")

    def test_what_is_wrong_gets_a_sentence(self):
        self.assertIn("'much' is no size", self.run_it("--memory-limit much", CELL))
        self.assertNotIn("answer", self.shell.user_ns)
        self.assertIn("tensorscope: ", self.run_it("--out /no/such/folder/a.recording", "1"))
        self.assertEqual(self.shell.published, [])


if __name__ == "__main__":
    skip_without_torch()
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import tensorscope  # noqa: E402
    from recording import Recording  # noqa: E402
    unittest.main(argv=sys.argv[:1], verbosity=1)
