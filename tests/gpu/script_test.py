"""The GPU checks with stand-ins for the GPU, the program and PyTorch: that each check runs to its end,
passes on figures that agree and fails on figures that do not."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import pickle
import runpy
import struct
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "record")]
from checks import Checks, gtest_outcome
from figures import compare_kernels, scratch_bytes
from recording import GPU_STREAM, MAGIC, SLICE

SNAPSHOT = {"segments": [{"address": 0, "blocks": [{"size": 512}]}],
            "device_traces": [[{"action": "alloc", "addr": 1, "size": 512,
                                "frames": [{"name": "aten::mm", "filename": "operator"}]},
                               {"action": "free_completed", "addr": 1, "size": 512,
                                "frames": [{"name": "aten::mm", "filename": "operator"}]}]],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""}}
KEYS = {"top": sorted(SNAPSHOT), "segment": ["address", "blocks"], "block": ["size"],
        "entry": ["action", "addr", "frames", "size"], "settings": ["PYTORCH_CUDA_ALLOC_CONF"]}
PREDICTED = {"peak_allocated": 1000, "peak_reserved": 2000}
LONGEST = 20000  # tokens that fit
DOCTOR = {"gpu": {"status": "ok", "found": "NVIDIA X, 80 GiB"},
          "cupti": {"status": "ok", "found": "API version 130001"}}


def script():
    loader = importlib.machinery.SourceFileLoader("gpu_run", str(FOLDER / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_run", loader))
    loader.exec_module(module)
    return module


def write_recording(path):
    """A recording of one kernel (core/run/recording.h)."""
    header = json.dumps({"strings": [], "tracks": [[GPU_STREAM, "GPU 0 stream 7", 0]], "dropped": 0,
                         "allocator_peak": PREDICTED["peak_allocated"]}).encode()
    kernel = bytes([SLICE] + 9 * [0])
    path.write_bytes(MAGIC + struct.pack("<QQQ", len(header), len(kernel), 0) + header + kernel)


class StandIn(Checks):
    """A GPU on which everything is as it should be, but for what `changed` says."""

    def __init__(self, out, **changed):
        super().__init__(out, "cuda", 60)
        self.gpu = "X"
        self.results["machine"] = {}
        self.peak, self.calls = changed.get("peak", 1000), changed.get("calls", 6)
        self.row_error = changed.get("row_error", 1e-3)
        self.predicted_events = changed.get("predicted_events", [4, -1])

    def card(self):
        return {"capability": 90, "multiprocessors": 132}

    def fits(self, arguments):
        lengths = [int(one[2:]) for one in map(str, arguments) if one.startswith("T=")]
        return not lengths or lengths[-1] <= LONGEST

    def program(self, *arguments, limit=60):
        if arguments[0] == "predict":
            return 0, {**PREDICTED, "verdict": "fits" if self.fits(arguments) else "oom"}, ""
        if "--out" in arguments:
            folder = pathlib.Path(arguments[arguments.index("--out") + 1])
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "snapshot.pickle").write_bytes(pickle.dumps(SNAPSHOT))
        kernels = {"steps": 3, "devices": [{"kernel_ms": 0.6}],
                   "kernels": [{"name": "gemm", "calls": self.calls, "total_ms": 0.6}]}
        verdict = "oom" if "memory_limit=256MiB" in arguments or not self.fits(arguments) else "ok"
        return 0, {"verdict": verdict, "reason": None, "gpu": kernels, "step_ms": {"median": 1.0},
                   "memory": {"peak_allocated": self.peak, "peak_reserved": 2000},
                   "recording": {"dropped": 0, "cost": {"percent": 1.0}}}, ""

    def execute(self, command, limit, variables=None):
        words = list(map(str, command))
        if words[0].endswith("cuda_test"):
            for name in ("buffers.tsgpu", "graph.tsgpu"):
                (self.out / name).write_bytes(b"records")
            return 0, "[       OK ] CudaRun.A (1 ms)\n[  PASSED  ] 1 test.\n", ""
        if any("torch_side.py" in word for word in words):
            return 0, json.dumps({"kernels": {"gemm": [2, 200.0]}, "overhead_percent": 5.0,
                                  "snapshot": {"keys": KEYS, "allocations": [512]}}), ""
        if any("own_kernels.py" in word for word in words):
            return 0, json.dumps({"rows": [{"stage": "tiled", "part": "forward", "tflops": 1.0,
                                            "error": 1e-3, "their_error": 1e-3}]}), ""
        if any("_operators.py" in word for word in words):
            asked = [4, -1] if any("torch_operators.py" in word for word in words) else self.predicted_events
            return 0, json.dumps({"sum_all fp32 100": asked}), ""
        if "record" in words:
            write_recording(pathlib.Path(words[words.index("--out") + 1]))
            return 0, json.dumps(PREDICTED), ""
        if any("torch_own.py" in word for word in words) or "predict" in words:
            return 0, json.dumps(PREDICTED), ""
        if any("own_rows.py" in word for word in words):
            return 0, json.dumps({"copy_gb_s": 2000.0,
                                  "rows": [{"operator": "softmax", "part": "forward", "ms": 1.0,
                                            "their_ms": 1.5, "gb_s": 1900.0, "error": self.row_error,
                                            "their_error": 1e-3}]}), ""
        return 0, "", ""


class TheScript(unittest.TestCase):
    def results(self, quick=False, **changed):
        with tempfile.TemporaryDirectory() as folder, \
                contextlib.redirect_stdout(io.StringIO()), \
                mock.patch("importlib.util.find_spec",
                           return_value=mock.Mock(origin="/torch/__init__.py",
                                                  submodule_search_locations=["/torch"])):
            checks = StandIn(pathlib.Path(folder), **changed)
            script().run_all(checks, DOCTOR, quick)
            checks.close()
            written = json.loads((checks.out / "results.json").read_text())
            self.assertEqual(written, json.loads(json.dumps(checks.results)))
            self.assertTrue((checks.out / "buffers.json").exists())
            self.assertEqual(json.loads((checks.out / "scratch.json").read_text()),
                             checks.scratch)
            self.assertFalse(checks.folder.exists())
            return {**written, "scratch": checks.scratch}

    def failed(self, results):
        return {check["name"].split(":")[0].split(" ")[0] for check in results["checks"]
                if not check["passed"]}

    def test_a_gpu_that_does_as_predicted_passes_every_check(self):
        results = self.results()
        self.assertEqual([check for check in results["checks"] if not check["passed"]], [])
        self.assertEqual(results["left_out"], [])
        self.assertEqual(results["scratch"], {"aten::mm": 512})
        self.assertGreater(len(results["checks"]), 100)

    def test_a_peak_that_was_not_predicted_fails(self):
        self.assertEqual(self.failed(self.results(quick=True, peak=1100)), {"attention", "lm", "exported"})

    def test_kernels_that_differ_from_the_profilers_fail(self):
        self.assertEqual(self.failed(self.results(quick=True, calls=9)), {"torch.profiler"})

    def test_blocks_that_were_not_predicted_fail(self):
        self.assertEqual(self.failed(self.results(quick=True, predicted_events=[4, 492, -2, -1])), {"operators"})

    def test_a_kernel_whose_error_is_large_or_no_number_fails(self):
        for error in (0.1, float("nan")):
            self.assertEqual(self.failed(self.results(quick=True, row_error=error)), {"own"})

    def test_a_check_that_breaks_keeps_none_from_its_turn(self):
        with mock.patch.object(StandIn, "note_scratch", side_effect=ValueError("no such key")):
            results = self.results(quick=True)
        said = [check.get("said") for check in results["checks"] if not check["passed"]]
        self.assertEqual(said, ["ValueError: no such key"])
        self.assertGreater(len(results["checks"]), 8)

    def test_what_has_no_time_left_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            checks = StandIn(pathlib.Path(folder))
            checks.end -= 60
            checks.attempt("late", lambda *_: self.fail("it had no time"))
            checks.close()
            self.assertEqual(checks.results["left_out"], ["late"])


class TorchSide(unittest.TestCase):
    def test_it_prints_one_document(self):
        torch = mock.MagicMock(__version__="2.11.0+cu130")
        event = mock.Mock(device_type=torch.autograd.DeviceType.CUDA)
        event.configure_mock(name="gemm")
        event.time_range.elapsed_us.return_value = 3.0
        profiler = torch.profiler
        profiler.profile.return_value.__enter__.return_value.events.return_value = [event] * 20
        torch.cuda.memory._snapshot.return_value = SNAPSHOT
        modules = {"torch": torch, "torch.profiler": profiler, "torch.nn": torch.nn,
                   "torch.nn.attention": torch.nn.attention}
        for workload in (["mlp", "d_model=8", "d_ff=8"],
                         ["attention", "heads=1", "d_head=8", "backend=math"]):
            words = [*workload, "B=1", "T=4", "dtype=bf16", "device=cuda"]
            with mock.patch.dict(sys.modules, modules), \
                    mock.patch.object(sys, "argv", ["torch_side.py", *words]), \
                    contextlib.redirect_stdout(io.StringIO()) as out, \
                    self.assertRaises(SystemExit) as end:
                runpy.run_path(str(FOLDER / "torch_side.py"), run_name="__main__")
            self.assertEqual(end.exception.code, 0)
            told = json.loads(out.getvalue())
            self.assertEqual(told["kernels"], {"gemm": [2.0, 6.0]})
            self.assertEqual(told["snapshot"], {"keys": KEYS, "allocations": [512]})


class Figures(unittest.TestCase):
    def test_kernels_are_compared_by_the_step(self):
        ours = [{"name": "a", "calls": 6, "total_ms": 0.606}]
        differing, percent = compare_kernels(ours, 3, {"a": [2, 200.0]})
        self.assertEqual(differing, {})
        self.assertAlmostEqual(percent, 1.0)
        self.assertEqual(compare_kernels(ours, 3, {"b": [1, 1.0]})[0], {"a": (2, 0), "b": (0, 1)})

    def test_scratch_is_what_comes_and_goes_in_one_operator(self):
        self.assertEqual(scratch_bytes(SNAPSHOT), {"aten::mm": 512})

    def test_the_outcome_of_tests_that_did_not_end_is_what_ran(self):
        told = ("[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n[  FAILED  ] A.two (1 ms)\n"
                "[  SKIPPED ] B/A.three/0 (0 ms)\n[  FAILED  ] A.two\n[ RUN      ] A.four\n")
        self.assertEqual(gtest_outcome(told), {"OK": ["A.one"], "FAILED": ["A.two"],
                                               "SKIPPED": ["B/A.three/0"]})


if __name__ == "__main__":
    unittest.main()
