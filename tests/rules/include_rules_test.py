"""The include rules catch what they forbid and let pass what they allow."""

import pathlib
import tempfile
import unittest
import unittest.mock

from include_rules import FOLDERS, MOST_FILES, problems

FILES = ["core/base/clock.h", "core/trace/slice.h", "core/run/run.h", "views/common/theme.h",
         "views/memory/chart.h", "kernels/engine/execution.h", "app/window/window.h"]


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
            ("kernels/engine/linear.h", '"kernels/engine/execution.h"'),
            ("kernels/cuda/session.cpp", "<cupti.h>"),
            ("app/window/page.cpp", '"views/memory/chart.h"'),
            ("tests/kernels/layer_test.cpp", '"kernels/engine/execution.h"'),
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
            ("views/common/sink.h", '"app/window/window.h"'),
            ("views/timeline/chart.h", '"views/memory/chart.h"'),
            ("views/timeline/chart.h", '"kernels/engine/execution.h"'),
            ("views/timeline/chart.h", "<ATen/ATen.h>"),
            ("kernels/layers/linear.h", '"views/common/theme.h"'),
            ("kernels/layers/linear.h", "<cupti.h>"),
            ("app/main.cpp", '"kernels/engine/execution.h"'),
            ("app/main.cpp", "<c10/core/Device.h>"),
            ("tests/run/worker_test.cpp", '"kernels/engine/execution.h"'),
            ("core/trace/store.h", '"slice.h"'),
            ("kernels/layers/linear.h", '"kernels/engine/execution.h"'),
            ("app/session/runs.h", '"app/window/window.h"'),
            ("app/new.cpp", '"app/window/window.h"'),
        ]:
            with self.subTest(name=name, include=include):
                self.assert_forbidden(name, include)

    def test_unknown_folder(self):
        for name in ("core/new/thing.h", "kernels/new/thing.h", "app/new/thing.h"):
            self.assertIn("missing in the table", self.found(name, "<vector>")[0])

    def test_full_folder(self):
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root) / "core/base"
            folder.mkdir(parents=True)
            for number in range(MOST_FILES + 1):
                (folder / f"{number}.h").touch()
            self.assertIn("more than one job", problems(root)[0])

    def test_document(self):
        with tempfile.TemporaryDirectory() as root:
            document = pathlib.Path(root) / "docs/architecture.md"
            document.parent.mkdir()
            rows = [f"| `{folder}` | text |" for folder in reversed(FOLDERS)]

            def found(lines):
                document.write_text("## Modules\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
                return problems(root)

            self.assertEqual(found(rows), [])
            self.assertIn("lacks core/sweep",
                          found([row for row in rows if "core/sweep" not in row])[0])
            self.assertIn("stands above it", found(rows[::-1])[0])

    def test_circle(self):
        with unittest.mock.patch.dict(FOLDERS, {"core/base": ["core/run"]}):
            self.assertIn("stands below it", self.found("core/base/new.h", "<vector>")[0])


if __name__ == "__main__":
    unittest.main()
