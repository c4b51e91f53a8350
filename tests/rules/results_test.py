"""The results of results.py for programs that pass, fail, die, skip and are missing."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import results

OK = "[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n"
SKIPPED = "[ RUN      ] A.two\na.cpp:5: Skipped\nno torch\n[  SKIPPED ] A.two (1 ms)\n"
FAILED = "[ RUN      ] A.b/0\na.cpp:1: Failure\n[  FAILED  ] A.b/0, where GetParam() = 3 (0 ms)\n"
DIED = "[ RUN      ] A.last\nhalf a "


class Results(unittest.TestCase):
    def read(self, *programs):
        """Exit code and printed words for programs of (output, element that says how it ended)."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cases.xml"
            path.write_text("<testsuite>" + "".join(
                f'<testcase name="p{i}">{end}<system-out>{out}</system-out></testcase>'
                for i, (out, end) in enumerate(programs)) + "</testsuite>", encoding="utf-8")
            words = io.StringIO()
            with contextlib.redirect_stdout(words):
                code = results.main(path, "build/x")
        return code, words.getvalue()

    def test_cases_are_counted_and_not_programs(self):
        code, words = self.read((OK + OK + SKIPPED, ""), ("all keep the rules", ""))
        self.assertEqual(code, 0)
        self.assertTrue(words.endswith("\n3 passed, 0 failed, 1 skipped\n"), words)
        self.assertIn("Skipped: 1, such as p0: A.two: no torch", words)

    def test_words_without_an_end_of_line_hide_no_result(self):
        code, words = self.read((OK.replace("[       OK", "50 % [       OK"), ""))
        self.assertEqual(code, 0, words)

    def test_a_failed_case_is_named_with_its_words(self):
        code, words = self.read((OK + FAILED + OK, "<failure/>"))
        self.assertEqual(code, 1)
        self.assertIn("----- build/x/p0: A.b/0\na.cpp:1: Failure\n", words)
        self.assertTrue(words.endswith("Failed: build/x/p0: A.b/0\n2 passed, 1 failed, 0 skipped\n"))

    def test_the_case_a_program_died_in_is_named(self):
        code, words = self.read((OK + DIED, "<failure/>"))
        self.assertEqual(code, 1)
        self.assertIn("Failed: build/x/p0: A.last\n", words)

    def test_a_program_may_fail_though_its_cases_passed(self):
        for out in (OK + "leak of 12 bytes", ""):
            code, words = self.read((out, "<failure/>"))
            self.assertEqual(code, 1)
            self.assertIn("Failed: build/x/p0\n", words)

    def test_a_second_try_counts_and_is_named(self):
        failed = FAILED.replace("A.b/0", "A.one").replace(", where GetParam() = 3", "")
        code, words = self.read((failed + SKIPPED + "Once more: A.one\n" + OK, ""))
        self.assertEqual(code, 0, words)
        self.assertTrue(words.endswith("Ran twice: build/x/p0: A.one\n1 passed, 0 failed, 1 skipped\n"), words)
        code, words = self.read((failed + failed, "<failure/>"))
        self.assertEqual(code, 1)
        self.assertTrue(words.endswith("\n0 passed, 1 failed, 0 skipped\n"), words)

    def test_skipped_by_its_exit_code_is_no_missing_program(self):
        code, words = self.read((OK, ""), ("no torch", '<skipped message="SKIP_RETURN_CODE=77"/>'))
        self.assertEqual(code, 0)
        self.assertIn("1 passed, 0 failed, 1 skipped", words)
        code, _ = self.read((OK, ""), ("", '<skipped message="Unable to find executable"/>'))
        self.assertEqual(code, 1)

    def test_nothing_that_passed_is_no_success(self):
        self.assertEqual(self.read()[0], 1)


if __name__ == "__main__":
    unittest.main()
