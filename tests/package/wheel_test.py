"""wheel_test.py WHEEL DEPS: what is in a wheel, and what it does in fresh environments of Python 3.11, one a torch.

torch is not in such an environment but on its path, as the set-up fetched it into DEPS: so pip needs no network.
./package --test runs it. It is no part of ./test, because a wheel takes builds of its own.
"""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 8_000_000
# Libraries that every system that can run it has (PEP 600 lists them), and torch's own.
NEEDED = {"tensorscope": {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1",
                          "ld-linux-x86-64.so.2"}}
NEEDED_LIBRARY = NEEDED["tensorscope"] | {"libtorch_cpu.so", "libc10.so", "libgomp.so.1", "libtorch_cuda.so",
                                          "libc10_cuda.so", "libcudart.so.13", "libcupti.so.13"}
BESIDE = {"$ORIGIN", "$ORIGIN/../../torch/lib", "$ORIGIN/../../nvidia/cu13/lib"}
# The folder in DEPS of each torch that there is an engine for.
TORCH = {"2.11": ".", "2.15": "2.15"}

OWN = """
import torch

def build(B: int = 2, device="cpu"):
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.ones(B, 32, device=device)

    def step():
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
    return step
"""

SCRIPT = """
import torch
model = torch.nn.Linear(32, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    model(torch.ones(4, 32)).sum().backward()
    optimizer.step()
"""


def dynamic(path):
    return subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout


class InTheWheel(unittest.TestCase):
    def setUp(self):
        self.archive = zipfile.ZipFile(WHEEL)
        self.names = self.archive.namelist()
        self.binaries = [name for name in self.names if self.archive.read(name).startswith(b"\x7fELF")]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(self.archive.close)
        self.folder = pathlib.Path(folder.name)
        self.archive.extractall(self.folder)

    def test_it_is_small(self):
        self.assertLessEqual(WHEEL.stat().st_size, MOST_BYTES)

    def test_the_record_lists_every_file_with_its_hash(self):
        name = next(name for name in self.names if name.endswith("/RECORD"))
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(self.archive.read(name).decode()))}
        self.assertEqual(sorted(rows), sorted(self.names))
        self.assertEqual(rows.pop(name), ["", ""])
        for file, (digest, size) in rows.items():
            content = self.archive.read(file)
            found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            self.assertEqual((digest, size), ("sha256=" + found, str(len(content))), file)

    def test_the_tag_is_the_newest_glibc_that_is_needed(self):
        needs = set()
        for name in self.binaries:
            table = subprocess.run(["readelf", "-V", self.folder / name], check=True, capture_output=True, text=True)
            needs |= {tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", table.stdout)}
        self.assertTrue(WHEEL.name.endswith("-py3-none-manylinux_{}_{}_x86_64.whl".format(*max(needs))), WHEEL.name)

    def test_nothing_is_needed_that_a_system_may_lack(self):
        self.assertGreaterEqual(len(self.binaries), 1 + 2 * len(TORCH))
        for name in self.binaries:
            section = dynamic(self.folder / name)
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", section))
            allowed = NEEDED.get(pathlib.PurePath(name).name, NEEDED_LIBRARY)
            self.assertLessEqual(needed, allowed, name)
            for paths in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", section):
                self.assertLessEqual(set(paths.split(":")), BESIDE, name)

    def test_no_folder_of_this_machine_is_in_it(self):
        for name in self.names:
            for folder in (ROOT, DEPS):
                self.assertEqual(self.archive.read(name).count(bytes(folder) + b"/"), 0, name)

    def test_pip_is_told_of_the_minors_that_there_are_engines_for(self):
        name = next(name for name in self.names if name.endswith("/METADATA"))
        asked = re.search(r"^Requires-Dist: torch(.*)$", self.archive.read(name).decode(), re.M)[1]
        try:
            from pip._vendor.packaging.specifiers import SpecifierSet
        except ImportError:
            self.skipTest("pip is not installed")
        for minor in range(8, 20):
            allowed = SpecifierSet(asked).contains(f"2.{minor}.1")
            self.assertEqual(allowed, f"2.{minor}" in TORCH, f"2.{minor} by {asked}")
            self.assertEqual(f"tensorscope/2.{minor}/libtensorscope_kernels.so" in self.names, allowed)

    def test_the_same_files_give_the_same_wheel(self):
        command = [sys.executable, "-B", ROOT / "python" / "make_wheel.py", self.folder / "again"]
        for minor, folder in TORCH.items():
            build = "package" if folder == "." else "package-" + minor
            command += [ROOT / "build" / build, DEPS / folder / "site" / "torch"]
        again = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        self.assertEqual(pathlib.Path(again).read_bytes(), WHEEL.read_bytes())


class Installed:
    """With one torch; the classes below say which."""

    minor = ""

    @classmethod
    def setUpClass(cls):
        deps = DEPS / TORCH[cls.minor]
        python = subprocess.run([DEPS / "torch_python", "-c", "import sys; print(sys.executable)"], check=True,
                                capture_output=True, text=True).stdout.strip()
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        subprocess.run([python, "-m", "venv", cls.folder / "venv"], check=True)
        cls.bin = cls.folder / "venv" / "bin"
        site = next((cls.folder / "venv" / "lib").glob("python*/site-packages"))
        # The second torch shares what its Python imports with the first.
        (site / "torch_of_the_set_up.pth").write_text(f"{deps / 'site'}\n{DEPS / 'site'}\n")
        cls.variables = {"PATH": f"{cls.bin}:/usr/bin:/bin", "HOME": str(cls.folder), "LANG": "C.UTF-8",
                         "LD_LIBRARY_PATH": str(deps / "stand_ins"), "PYTHONWARNINGS": "ignore"}
        subprocess.run([cls.bin / "pip", "install", "--quiet", "--no-deps", "--no-index", WHEEL], check=True,
                       env=cls.variables)
        (cls.folder / "train.py").write_text(SCRIPT)

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def run_it(self, *command, **variables):
        return subprocess.run(command, env={**self.variables, **variables}, cwd=self.folder, text=True,
                              capture_output=True, timeout=300)

    def tensorscope(self, *arguments, **variables):
        return self.run_it(self.bin / "tensorscope", *arguments, **variables)

    def test_doctor_finds_the_engine(self):
        done = self.tensorscope("doctor")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, rf"LibTorch +{self.minor}\.\d+, .*engines for torch 2.11 and 2.15\n")
        self.assertRegex(done.stdout, rf"Python of your own files .*torch {self.minor}\.")

    def test_a_run(self):
        done = self.tensorscope("run", "mlp", "--steps", "2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsInstance(json.loads(done.stdout), dict)

    def test_a_file_of_the_user_is_predicted_and_recorded(self):
        (self.folder / "own.py").write_text(OWN)
        for command in (["predict", "--gpu", "RTX 4090"], ["predict", "--cpu"], ["run", "--steps", "2"]):
            done = self.tensorscope(command[0], "--model", "own.py", *command[1:], "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIsInstance(json.loads(done.stdout), dict)

    def test_a_file_by_a_python_with_another_torch(self):
        (self.folder / "own.py").write_text(OWN)
        for minor, folder in TORCH.items():
            done = self.tensorscope("predict", "--model", "own.py", "--gpu", "RTX 4090", "--json",
                                    TENSORSCOPE_PYTHON=str(DEPS / folder / "torch_python"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["unchecked"] is None, minor == "2.11", done.stdout)

    def test_a_prediction(self):
        for target in (["--cpu"], ["--gpu", "RTX 4090"]):
            done = self.tensorscope("predict", "mlp", *target, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            checked = self.minor == "2.11" or target == ["--cpu"]
            self.assertEqual(json.loads(done.stdout)["unchecked"] is None, checked, done.stdout)

    def test_what_is_found_in_a_script_is_said(self):
        text = SCRIPT.replace("for _ in range(4):", "total = 0\nfor _ in range(8):")
        text = text.replace("    model(torch.ones(4, 32)).sum().backward()",
                            "    loss = model(torch.ones(4, 32)).sum()\n    loss.backward()\n    total += loss.item()")
        (self.folder / "reads.py").write_text(text)
        done = self.tensorscope("record", "reads.py")
        self.assertIn("\ntensorscope: F-4 reads.py:10: 1 number is read", done.stderr)

    def test_a_script_is_recorded_by_both_names(self):
        for number, start in enumerate(([self.bin / "tensorscope"], [self.bin / "python", "-m", "tensorscope"])):
            out = self.folder / f"{number}.recording"
            done = self.run_it(*start, "record", "--out", out, "train.py")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("4 steps", done.stderr)
            told = self.tensorscope("summary", "--json", out)
            self.assertEqual(json.loads(told.stdout)["recorded_steps"], 4, told.stdout + told.stderr)

    def test_another_torch_gets_a_sentence(self):
        other = self.folder / "other" / "torch"
        other.mkdir(parents=True, exist_ok=True)
        (other / "__init__.py").write_text("__version__ = '2.10.1'\n")
        (other / "version.py").write_text("__version__ = '2.10.1'\n")
        variables = {"PYTHONPATH": str(other.parent)}
        done = self.tensorscope("predict", "mlp", "--cpu", **variables)
        self.assertIn("built for torch 2.11 and 2.15, here is 2.10.1", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        done = self.tensorscope("record", "train.py", **variables)
        self.assertIn("built for torch 2.11 and 2.15, here is 2.10.1", done.stderr)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_the_program_is_found_where_torch_is_not(self):
        without = (f"import sys; sys.path = [p for p in sys.path if not p.startswith({str(DEPS)!r})]; "
                   "from tensorscope.__main__ import main; sys.exit(main())")
        done = self.run_it(self.bin / "python", "-c", without, "predict", "mlp", "--cpu")
        self.assertIn("torch 2.11 or 2.15 is not installed", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        done = self.run_it(self.bin / "python", "-c", without, "record", "train.py")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "tensorscope: torch 2.11 or 2.15 is not installed in this Python\n"))


class InstalledBesideTheFirst(Installed, unittest.TestCase):
    minor = "2.11"


class InstalledBesideTheNewest(Installed, unittest.TestCase):
    minor = "2.15"


if __name__ == "__main__":
    WHEEL, DEPS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not (DEPS / "torch_python").exists():
        print("Skipped: no Python 3.11, which the torch that was fetched is for")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
