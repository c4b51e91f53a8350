"""Which sources are read after a change since the whole check."""

import pathlib
import subprocess
import tempfile
import unittest

from since_whole_check import COMMIT, to_read

FILES = {"core/a.h": "", "core/b.h": '#include "core/a.h"\n', "core/b.cpp": '#include "core/b.h"\n',
         "core/c.cpp": "", ".clang-tidy": "", "build/core/unity_0.cxx": '#include "{root}/core/c.cpp"\n',
         ".gitignore": "build\n"}
SOURCES = [pathlib.Path(name) for name in ("core/b.cpp", "core/c.cpp", "build/core/unity_0.cxx")]


class SinceWholeCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.git("init", "--quiet")
        for name, text in FILES.items():
            self.write(name, text.format(root=self.root))
        self.commit()
        self.write(COMMIT, self.git("rev-parse", "HEAD"))
        self.commit()

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root,
                              capture_output=True, text=True, check=True).stdout

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "x")

    def read(self, *arguments):
        return sorted(map(str, to_read(self.root, SOURCES, arguments)))

    def test_nothing_after_no_change(self):
        self.assertEqual(self.read("ON"), [])

    def test_what_reaches_a_changed_header(self):
        self.write("core/a.h", "int a;\n")
        self.assertEqual(self.read("ON"), ["core/b.cpp"])
        self.commit()
        self.assertEqual(self.read("ON"), ["core/b.cpp"])

    def test_a_source_and_what_is_made_of_it(self):
        self.write("core/c.cpp", "int c;\n")
        self.assertEqual(self.read("ON"), ["build/core/unity_0.cxx", "core/c.cpp"])

    def test_a_header_that_git_does_not_know_yet(self):
        self.write("core/new.h", "")
        self.write("core/c.cpp", '#include "core/new.h"\n')
        self.commit()
        self.write(COMMIT, self.git("rev-parse", "HEAD"))
        self.write("core/new.h", "int c;\n")
        self.assertEqual(self.read("ON"), ["build/core/unity_0.cxx", "core/c.cpp"])

    def test_all_of_them(self):
        everything = sorted(map(str, SOURCES))
        self.assertEqual(self.read("whole"), everything)
        self.assertEqual(self.read("all"), everything)
        self.write(COMMIT, "0123456789012345678901234567890123456789\n")  # a clone without its history
        self.assertEqual(self.read("ON"), everything)
        (self.root / COMMIT).unlink()
        self.assertEqual(self.read("ON"), everything)

    def test_all_after_a_change_of_the_checks(self):
        self.write(".clang-tidy", "Checks: x\n")
        self.assertEqual(self.read("ON"), sorted(map(str, SOURCES)))


if __name__ == "__main__":
    unittest.main()
