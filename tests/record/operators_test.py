"""A dry run asks for what CUDA's allocator was asked for by PyTorch's operators on an H200: every block and the order in
which they come and go, as recorded there (tests/gpu/operators_h200.json)."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

GPU = pathlib.Path(__file__).resolve().parents[1] / "gpu"


class OperatorsOnCuda(unittest.TestCase):
    def test_every_operator_asks_for_the_recorded_blocks(self):
        recorded = json.loads((GPU / "operators_h200.json").read_text())["events"]
        done = subprocess.run([sys.executable, "-B", GPU / "dry_operators.py", "90", "132"], capture_output=True,
                              text=True, timeout=300, check=False, env={**os.environ, "PYTHONWARNINGS": "ignore"})
        self.assertEqual(done.returncode, 0, done.stderr)
        predicted = json.loads(done.stdout)
        self.assertGreater(len(predicted), 380)
        for case, events in predicted.items():
            with self.subTest(case=case):
                self.assertEqual(events, recorded[case])


if __name__ == "__main__":
    unittest.main()
