"""self_contained.py ROOT BUILD [all]: every source of the program compiles by itself, without the
precompiled headers and without the sources that are compiled together with it; so does every header
that no source of its own includes first.

Only what a compiler reads is checked (-fsyntax-only). The sources that include LibTorch's headers
and the tests take two thirds of the time and are left out without "all". A file is looked at again
only when it, a header of ours that it reaches or its flags have changed; BUILD/self_contained
remembers.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

from sources import all_files
from tidy import INCLUDE, fingerprint, our_commands, size_of

FIRST_INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^">]+)', re.MULTILINE)
OUTPUT = re.compile(r" -o \S+ -c \S+.*$")


def reading_command(command):
    """The command that only reads, without the file."""
    words = [word for word in shlex.split(OUTPUT.sub("", command)) if not word.startswith("-O")]
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    return words + ["-fsyntax-only", "-w"]


def source_commands(root, build, left_out):
    """{path of a source: command} with the sources that CMake put together taken apart."""
    commands = {}
    for path, command in our_commands(root, build, left_out):
        parts = [path]
        if path.parent.name == "Unity":
            names = [os.fsdecode(name) for name in INCLUDE.findall((root / path).read_bytes())]
            parts = [pathlib.Path(name).resolve().relative_to(root) for name in names
                     if name.endswith(".cpp")]
        for part in parts:
            commands[part] = reading_command(command)
    return commands


def headers_alone(root, folders):
    """Headers that no source of the same name includes before anything else."""
    for header in all_files(root):
        if header.suffix != ".h" or header.parts[0] not in folders:
            continue
        source = root / header.with_suffix(".cpp")
        first = FIRST_INCLUDE.search(source.read_bytes()) if source.is_file() else None
        if first is None or os.fsdecode(first.group(1)) != str(header):
            yield header


def nearest(header, commands):
    """The command of a source that lies as near to the header as any."""
    def shared(path):
        return len(os.path.commonpath([header.parent, path.parent]))
    return commands[max(sorted(commands), key=shared)]


def look_at(root, path, command, mark):
    kind = ["-x", "c++"] if path.suffix == ".h" else []
    result = subprocess.run([*command, *kind, str(root / path)], cwd=root, capture_output=True,
                            text=True, check=False)
    if result.returncode == 0:
        mark.touch()
        return None
    return f"{path} does not compile by itself:\n{result.stderr}"


def main(root, build, everything):
    folders = {"app", "assets", "core", "views"} | ({"kernels", "tests"} if everything else set())
    left_out = {"third_party"} | (set() if everything else {"kernels", "tests"})
    commands = source_commands(root, build, left_out)
    for header in list(headers_alone(root, folders)):
        commands[header] = nearest(header, {path: command for path, command in commands.items()
                                            if path.suffix == ".cpp"})
    marks = build / "self_contained"
    marks.mkdir(exist_ok=True)
    todo, kept = [], set()
    for path, command in commands.items():
        name = fingerprint(root, path, shlex.join(command), b"")
        kept.add(name)
        if not (marks / name).exists():
            todo.append((path, command, marks / name))
    for mark in marks.iterdir():
        if mark.name not in kept:
            mark.unlink()
    todo.sort(key=lambda one: size_of(root, one[0]), reverse=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [found for found in pool.map(lambda one: look_at(root, *one), todo) if found]
    print("\n".join(problems))
    print(f"{len(kept)} files, {len(todo)} looked at, {len(problems)} with problems")
    return bool(problems) or not kept


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(),
                  "all" in sys.argv[3:]))
