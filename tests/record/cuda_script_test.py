"""cuda_script_test.py FAKES PROGRAM: the recording of a script that computes on a GPU, whose allocator and kernels a
stand-in plays (tests/kernels/fake_cuda.cpp).

Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import skip_without_torch  # noqa: E402

# The calls of CUDA's start are made by hand: there is none here.
SCRIPT = """
import ctypes, os, threading
import torch
cuda = ctypes.CDLL(os.environ["FAKE_CUDA"])
cuda.fake_take.restype = ctypes.c_uint64
cuda.fake_take.argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
cuda.fake_drop.argtypes = (ctypes.c_int, ctypes.c_uint64, ctypes.c_int64)
cuda.fake_refuse.argtypes = (ctypes.c_int64,)

def take(asked, block, card=0):
    return cuda.fake_take(card, asked, block)

def drop(address, asked, card=0):
    cuda.fake_drop(card, address, asked)

def start_cuda():
    for call in [one[0] for one in torch.cuda._queued_calls]:
        if getattr(call, "__module__", "").startswith("tensorscope"):
            call()

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
    def forward(self, x):
        y = self.linear(x)
        cuda.fake_launch(b"gemm")
        return y

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
def step():
    optimizer.zero_grad()
    activation = take(1000, 1024)
    net(torch.ones(4, 8)).sum().backward()
    drop(activation, 1000)
    optimizer.step()
"""
OK, OUT_OF_MEMORY = 0, 1
MIB = 1 << 20


class CudaScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # The library of the cards is looked for beside the recorder.
        shutil.copy(pathlib.Path(os.environ["TENSORSCOPE_ENGINE_DIR"]) / "libtensorscope_recorder.so", self.folder)
        shutil.copy(FAKES / "libtensorscope_cuda.so", self.folder)

    def record(self, text, *options):
        script = self.folder / "one.py"
        script.write_text(SCRIPT + text, encoding="utf-8")
        env = {**environment(), "TENSORSCOPE_ENGINE_DIR": str(self.folder),
               "FAKE_CUDA": str(self.folder / "libtensorscope_cuda.so"),
               "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(FAKES), os.environ.get("LD_LIBRARY_PATH")]))}
        command = [sys.executable, "-m", "tensorscope", "record", "--out", "one.recording", *options, "one.py"]
        ended = subprocess.run(command, env=env, cwd=self.folder, text=True, capture_output=True, timeout=300,
                               check=False)
        self.assertTrue((self.folder / "one.recording").is_file(), ended.stderr)
        return ended, Recording(self.folder / "one.recording")

    def on_cuda(self, text, *options):
        return self.record(text, "--device", "cuda", *options)

    def test_blocks_and_kernels_of_a_card(self):
        ended, found = self.on_cuda("start_cuda()\nkept = take(5000, 5120)\nfor _ in range(3): step()")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([size for size, _ in found.changes()], [5120] + [1024, -1024] * 3)
        self.assertEqual(found.header["device_name"], "Stand-in 0")
        self.assertEqual(found.header["allocator_peak"], 6144)
        self.assertEqual(found.header["limit"], 8 << 30)
        kernels = [one for one in found.slices if one.name == "gemm"]
        self.assertEqual(len(kernels), 3)
        self.assertNotIn("--device cpu", ended.stderr)
        told = json.loads(subprocess.run([sys.argv[2], "summary", "--json", self.folder / "one.recording"], check=True,
                                         capture_output=True).stdout)
        self.assertEqual((told["device"], told["peak_allocated"]), ("Stand-in 0", 6144))

    def test_a_kernel_has_the_module_that_launched_it(self):
        _, found = self.on_cuda("start_cuda()\n"
                                "class Launch(torch.autograd.Function):\n"
                                "    @staticmethod\n"
                                "    def forward(context, x):\n"
                                "        cuda.fake_launch(b'mine')\n"
                                "        return x.clone()\n"
                                "    @staticmethod\n"
                                "    def backward(context, g):\n"
                                "        return g\n"
                                "Net.forward = lambda self, x: Launch.apply(self.linear(x))\n"
                                "step()")
        kernel, = [one for one in found.slices if one.name == "mine"]
        self.assertIn("Net", kernel.module)

    def test_memory_of_the_processor_is_not_in_it(self):
        _, found = self.on_cuda("start_cuda()\nbig = torch.ones(1000, 1000)\nstep()")
        self.assertEqual([size for size, _ in found.changes()], [1024, -1024])

    def test_torch_profiler_has_the_blocks_too(self):
        ended, found = self.on_cuda("start_cuda()\n"
                                    "with torch.profiler.profile(profile_memory=True) as profiler:\n"
                                    "    inside = take(700, 2048)\n"
                                    "    step()\n"
                                    "drop(inside, 700)\nstep()\n"
                                    "profiler.export_chrome_trace('theirs.json')")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual([size for size, _ in found.changes()], [2048, 1024, -1024, -2048, 1024, -1024])
        self.assertIn("CUPTI serves one of the two", ended.stderr)
        theirs = json.loads((self.folder / "theirs.json").read_text())["traceEvents"]
        on_cards = [one["args"]["Bytes"] for one in theirs
                    if one["name"] == "[memory]" and one["args"]["Device Type"] == 1]
        self.assertEqual(on_cards, [2048, 1024, -1024])

    def test_blocks_of_other_threads(self):
        _, found = self.on_cuda("start_cuda()\n"
                                "other = threading.Thread(target=lambda: drop(take(100, 512), 100))\n"
                                "other.start(); other.join()\nstep()")
        self.assertEqual(sorted(size for size, _ in found.changes()), [-1024, -512, 512, 1024])

    def test_out_of_memory_leaves_the_record_of_the_allocator(self):
        ended, found = self.on_cuda("start_cuda()\nstep()\ncuda.fake_refuse(1 << 30)\n"
                                    "raise torch.OutOfMemoryError('CUDA out of memory')",
                                    "--memory-limit", "64MiB")
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(found.header["verdict"], OUT_OF_MEMORY)
        self.assertEqual((found.header["limit"], found.header["failure"]["bytes_asked"]), (64 * MIB, 1 << 30))
        snapshot = self.folder / "one.snapshot.pickle"
        self.assertIn(snapshot.name, ended.stderr)
        content = pickle.loads(snapshot.read_bytes())
        self.assertEqual([one["action"] for one in content["device_traces"][0]],
                         ["alloc", "free_requested", "free_completed"])

    def test_of_several_cards_the_first_that_allocates(self):
        ended, found = self.on_cuda("cuda.fake_cards(2)\nstart_cuda()\na = take(512, 512, 1)\nb = take(999, 1024, 0)\n"
                                    "Net.forward = lambda self, x: self.linear(x)\nnet(torch.ones(4, 8))")
        self.assertEqual([size for size, _ in found.changes()], [512])
        self.assertIn("GPU 1 (Stand-in 1)", ended.stderr)

    def test_steps_of_a_range(self):
        _, found = self.on_cuda("start_cuda()\nfor _ in range(4): step()", "--steps", "1:3")
        self.assertEqual([size for size, _ in found.changes()], [1024, -1024] * 2)
        self.assertEqual(len([one for one in found.slices if one.name == "gemm"]), 2)

    def test_a_script_that_uses_none_is_told(self):
        ended, found = self.on_cuda("Net.forward = lambda self, x: self.linear(x)\nnet(torch.ones(4, 8))")
        self.assertEqual(found.changes(), [])
        self.assertIn("--device cpu", ended.stderr)

    def test_without_a_card_the_processor_is_recorded(self):
        _, found = self.record("torch.nn.Linear(8, 8)(torch.ones(4, 8))")
        self.assertTrue(found.changes())
        self.assertEqual(found.header["device_name"], "")

    def test_a_driver_without_the_library_is_told(self):
        (self.folder / "libtensorscope_cuda.so").rename(self.folder / "gone.so")
        (self.folder / "one.py").write_text("import torch\nfor call in [one[0] for one in torch.cuda._queued_calls]:\n"
                                            "    if getattr(call, '__module__', '').startswith('tensorscope'): call()\n")
        env = {**environment(), "TENSORSCOPE_ENGINE_DIR": str(self.folder),
               "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(FAKES), os.environ.get("LD_LIBRARY_PATH")]))}
        ended = subprocess.run([sys.executable, "-m", "tensorscope", "record", "--device", "cuda", "one.py"], env=env,
                               cwd=self.folder, text=True, capture_output=True, timeout=300, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("libtensorscope_cuda.so was not built", ended.stderr)


if __name__ == "__main__":
    skip_without_torch()
    FAKES = pathlib.Path(sys.argv[1])
    from recording import Recording, environment
    unittest.main(argv=sys.argv[:1])
