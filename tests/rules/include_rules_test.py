"""The include rules catch what they forbid and let pass what they allow."""

import pathlib
import tempfile
import unittest

from include_rules import problems

FILES = ["core/base/clock.h", "core/trace/slice.h", "core/run/run.h", "views/common/theme.h",
         "views/memory/chart.h", "kernels/execution.h", "app/window.h"]


class IncludeRules(unittest.TestCase):
    def found(self, name, include):
        with tempfile.TemporaryDirectory() as root:
            for file in FILES:
                path = pathlib.Path(root) / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"#pragma once\n#include {include}\n", encoding="utf-8")
            return problems(root)

    def assert_forbidden(self, name, include):
        found = self.found(name, include)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{name}:2: "), found)

    def test_allowed(self):
        for name, include in [
            ("core/trace/store.h", '"core/base/clock.h"'),
            ("core/base/new.h", "<vector>"),
            ("views/timeline/chart.h", '"views/common/theme.h"'),
            ("views/timeline/chart.cpp", "<imgui.h>"),
            ("kernels/layers/linear.h", "<ATen/ATen.h>"),
            ("kernels/layers/linear.h", '"kernels/execution.h"'),
            ("kernels/cuda/session.cpp", "<cupti.h>"),
            ("app/main.cpp", '"views/memory/chart.h"'),
            ("tests/kernels/layer_test.cpp", '"kernels/execution.h"'),
        ]:
            with self.subTest(name=name, include=include):
                self.assertEqual(self.found(name, include), [])

    def test_forbidden(self):
        for name, include in [
            ("core/base/new.h", '"core/trace/slice.h"'),
            ("core/trace/store.h", '"core/run/run.h"'),
            ("core/run/worker.h", '"views/common/theme.h"'),
            ("core/run/worker.h", "<torch/torch.h>"),
            ("core/run/worker.h", "<imgui.h>"),
            ("views/common/sink.h", '"app/window.h"'),
            ("views/timeline/chart.h", '"views/memory/chart.h"'),
            ("views/timeline/chart.h", '"kernels/execution.h"'),
            ("views/timeline/chart.h", "<ATen/ATen.h>"),
            ("kernels/layers/linear.h", '"views/common/theme.h"'),
            ("kernels/layers/linear.h", "<cupti.h>"),
            ("app/main.cpp", '"kernels/execution.h"'),
            ("app/main.cpp", "<c10/core/Device.h>"),
            ("tests/run/worker_test.cpp", '"kernels/execution.h"'),
            ("core/trace/store.h", '"slice.h"'),
        ]:
            with self.subTest(name=name, include=include):
                self.assert_forbidden(name, include)

    def test_unknown_folder(self):
        self.assertIn("missing in the table", self.found("core/new/thing.h", "<vector>")[0])


if __name__ == "__main__":
    unittest.main()
