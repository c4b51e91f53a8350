"""tidy.py ROOT BUILD TOOL [whole|all]: clang-tidy (TOOL) finds nothing in the sources of the program.

The tests are left out: they are nearly half of all sources, and g++ with its warnings reads them. So
are, without "all", the sources that include LibTorch's headers, which take half of the time.
Only files that changed since all were checked are looked at (since_whole_check.py), without "whole" or
"all", and a file again only when it, a header of ours that it reaches, its flags or the checks have
changed; BUILD/tidy remembers. Without TOOL the test is skipped (exit code 77).
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from since_whole_check import INCLUDE, reach, to_read
from sources import all_files

# A header that g++ precompiled; clang cannot read it, and every source includes what it needs.
PRECOMPILED = re.compile(r" -Winvalid-pch -include \S+/cmake_pch\.hxx")


def our_commands(root, build, left_out):
    """(path relative to root, compile command) of every source of the program, or of the files
    that CMake made of several sources each: a folder's lie in BUILD/FOLDER/CMakeFiles."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        ours = path.suffix == ".cpp" or path.parent.name == "Unity"
        if not ours or not path.is_relative_to(root):
            continue
        folder = path.relative_to(build if path.is_relative_to(build) else root).parts[0]
        if folder not in left_out:
            yield path.relative_to(root), PRECOMPILED.sub("", entry["command"])


def fingerprint(root, path, command, settings):
    digest = hashlib.sha256(settings + command.encode())
    for current, content in reach(root, path):
        digest.update(str(current).encode() + b"\0" + content)
    return digest.hexdigest()


def size_of(root, path):
    """Bytes of the source, or of the sources that it is made of."""
    made_of = [name for name in INCLUDE.findall((root / path).read_bytes()) if name.endswith(b".cpp")]
    return sum((root / os.fsdecode(name)).stat().st_size for name in made_of) or (
        root / path).stat().st_size


def look_at(root, database, tool, path, mark):
    # Flags that only g++ knows must not fail the run.
    result = subprocess.run(
        [tool, "--quiet", "-p", str(database), "--extra-arg=-Wno-unknown-warning-option",
         "--extra-arg=-Wno-unused-command-line-argument", "--extra-arg=-Wno-deprecated-declarations",
         "--extra-arg=-Wno-sign-conversion", str(root / path)],
        cwd=root, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        mark.touch()
        return None
    return f"{path}:\n{result.stdout}{result.stderr}"


def main(root, build, tool, arguments):
    if shutil.which(tool) is None:
        print(f"skipped: there is no {tool}; third_party/setup.sh --tests fetches it")
        return 77
    marks = build / "tidy"
    marks.mkdir(exist_ok=True)
    settings_files = [root / path for path in all_files(root) if path.name == ".clang-tidy"]
    settings = b"".join(file.read_bytes() for file in settings_files)
    left_out = {"third_party", "tests"} | (set() if "all" in arguments else {"kernels"})
    commands = dict(our_commands(root, build, left_out))
    database = build / "tidy_commands"
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(build), "file": str(root / path), "command": command}
         for path, command in commands.items()]), encoding="utf-8")
    asked, todo, kept = to_read(root, commands, arguments), {}, set()
    for path, command in commands.items():
        name = fingerprint(root, path, command, settings)
        kept.add(name)
        if path in asked and not (marks / name).exists():
            todo[path] = marks / name
    for mark in marks.iterdir():
        if mark.name not in kept:
            mark.unlink()
    # Long ones begin first, so that no core waits for it at the end.
    order = sorted(todo.items(), key=lambda item: size_of(root, item[0]), reverse=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda item: look_at(root, database, tool, *item), order)
        problems = [result for result in results if result]
    print("\n".join(problems))
    print(f"{len(kept)} files, {len(todo)} looked at, {len(problems)} with problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(),
                  sys.argv[3], sys.argv[4:]))
