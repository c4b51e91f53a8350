"""The scripts that make files for tests and measurements take no option for the name of a file."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = {"trace_file/kineto_trace.py": ["made.json", "--events", "50"],
           "snapshot/made_snapshot.py": ["50", "made.pickle"]}


class MadeFiles(unittest.TestCase):
    def made_by(self, script, arguments):
        """The exit status, and the names of the files that it left."""
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run([sys.executable, "-B", TESTS / script, *arguments], cwd=folder,
                                   capture_output=True, check=False)
            return ended.returncode, os.listdir(folder)

    def test_an_option_is_no_file(self):
        for script, arguments in SCRIPTS.items():
            with self.subTest(script=script):
                file = next(argument for argument in arguments if argument.startswith("made"))
                self.assertEqual(self.made_by(script, arguments), (0, [file]))
                self.assertEqual(self.made_by(script, ["--help"]), (0, []))
                options = ["--none" if argument == file else argument for argument in arguments]
                self.assertEqual(self.made_by(script, options), (2, []))


if __name__ == "__main__":
    unittest.main()
