"""The rule of the libraries' names catches what it is there for."""

import pathlib
import tempfile
import unittest

from library_names import PRECOMPILED, faults


class LibraryNames(unittest.TestCase):
    def found(self, **texts):
        """The problems that are found in files of core/base, named by their stems: `a` is a.cpp, `a_h` is a.h."""
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root) / "core/base"
            folder.mkdir(parents=True)
            for name, text in texts.items():
                file = f"{name[:-2]}.h" if name.endswith("_h") else f"{name}.cpp"
                (folder / file).write_text(text, encoding="utf-8")
            return " | ".join(faults(root))

    def test_accepts_a_name_with_its_header(self):
        self.assertEqual("", self.found(a="#include <vector>\nstd::vector<int> v;\n"))

    def test_misses_the_header_of_a_name(self):
        self.assertEqual("core/base/a.cpp uses std::vector and does not include <vector>",
                         self.found(a="#include <string>\nstd::vector<int> v;\n"))
        self.assertIn("<algorithm>", self.found(a="int b = std::min(1, 2);\n"))
        self.assertIn("<fmt/format.h>", self.found(a='auto b = fmt::format("{}", 1);\n'))

    def test_takes_what_headers_of_ours_include(self):
        header = "#include <vector>\n"
        self.assertEqual("", self.found(a='#include "core/base/b.h"\nstd::vector<int> v;\n', b_h=header))
        self.assertEqual("", self.found(a='#include "b.h"\nstd::vector<int> v;\n', b_h=header))

    def test_takes_another_header_with_the_same_names(self):
        self.assertEqual("", self.found(a="#include <charconv>\nstd::errc e{};\n"))

    def test_reads_no_comments_and_no_texts(self):
        self.assertEqual("", self.found(a='// std::vector\n/* std::map */ auto t = "std::set";\n'))

    def test_headers_are_looked_at(self):
        self.assertIn("core/base/a.h", self.found(a_h="std::map<int, int> m;\n"))

    def test_what_is_precompiled_is_checked(self):
        self.assertIn("string", PRECOMPILED)
        self.assertNotIn("nlohmann/json.hpp", PRECOMPILED)


if __name__ == "__main__":
    unittest.main()
