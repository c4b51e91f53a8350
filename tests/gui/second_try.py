#!/usr/bin/env python3
"""second_try.py PROGRAM: runs the cases of PROGRAM, which drive a window of the desktop.

Keys, mouse and the display belong to other processes, too. Up to three cases that failed run once more,
in a process of their own; results.py names those that needed it. Where the program died, the cases
behind that one run, too. Exit code: that of the last process.
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from results import cases

MOST = 3


def run(command):
    """(exit code, {case: its end}); the output goes on to ours."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    return process.returncode, {name: end for name, _, end in cases(lines)}


def main(program):
    code, ends = run([program])
    failed = [name for name, end in ends.items() if end not in ("OK", "SKIPPED")]
    if code == 0 or not 0 < len(failed) <= MOST:
        return code
    again = failed
    if None in ends.values():
        # The program lists a suite, and below it, indented, its cases.
        suite, again = "", list(failed)
        listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True)
        for line in listed.stdout.splitlines():
            if not line.startswith(" "):
                suite = line.strip()
            elif suite + (case := line.split()[0]) not in ends and not case.startswith("DISABLED_"):
                again.append(suite + case)
    print(f"\nOnce more: {', '.join(failed)}", flush=True)
    return run([program, f"--gtest_filter={':'.join(again)}"])[0]


if __name__ == "__main__":
    code = main(sys.argv[1])
    sys.exit(code if code >= 0 else 128 - code)
