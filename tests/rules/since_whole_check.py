"""The sources that changed since the commit in whole_check.txt.

At that commit clang-tidy (tidy.py) and the compiler (self_contained.py) read every source of the program
and found nothing. To read all of them takes a quarter of a cold ./test, so both read only sources that
changed since then or reach a header that did. TENSORSCOPE_TIDY=whole ./test reads all; when it is
green, its commit goes into the file.
"""

import os
import pathlib
import re
import subprocess

INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
COMMIT = pathlib.Path("tests/rules/whole_check.txt")
# A change of these may change what is found in any source. The lists of sources are not among them.
FOR_ALL = re.compile(r"(.*/)?\.clang-tidy|cmake/.*|CMakeLists\.txt|CMakePresets\.json|third_party/[^/]*"
                     r"|tests/rules/(tidy|self_contained)\.py")


def reach(root, path):
    """(path, content) of the file and of every header of ours that it includes, directly or not; paths
    are relative to root."""
    pending, seen = [path], set()
    while pending:
        current = pending.pop()
        if current.is_absolute() and current.is_relative_to(root):
            current = current.relative_to(root)
        file = root / current
        if current in seen or not file.is_file():
            continue
        seen.add(current)
        content = file.read_bytes()
        yield current, content
        pending += sorted(pathlib.Path(os.fsdecode(name)) for name in INCLUDE.findall(content))


def lines(root, *words):
    result = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return None if result.returncode else result.stdout.splitlines()


def changed(root):
    """Paths relative to root; None: it is not known, or all sources have to be read."""
    if not (root / COMMIT).is_file():
        return None
    commit = (root / COMMIT).read_text(encoding="utf-8").strip()
    tracked = lines(root, "diff", "--name-only", "--no-renames", commit, "--")
    others = lines(root, "ls-files", "--others", "--exclude-standard")
    if tracked is None or others is None:
        return None
    paths = [path for path in tracked + others if path]
    return None if any(FOR_ALL.fullmatch(path) for path in paths) else set(map(pathlib.Path, paths))


def to_read(root, paths, arguments):
    """Those of the paths, relative to root, that have to be read."""
    files = None if {"whole", "all"} & set(arguments) else changed(root)
    if files is None:
        return set(paths)
    return {path for path in paths if any(part in files for part, _ in reach(root, path))}
