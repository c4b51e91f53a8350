"""self_contained.py ROOT BUILD [whole|all]: every source of the program compiles by itself, without the
sources that are compiled together with it; so does every header that no source of its own includes first.

Only what a compiler reads is checked (-fsyntax-only), without the templates that it makes at the end of a
source. The headers of libraries that most files include are precompiled, which saves half of the time:
that a file includes those of them that it uses is checked by library_names.py. The sources that include
LibTorch's headers and the tests are read without them; they take two thirds of the time and are left out
without "all". Only files that changed since all were checked are looked at (since_whole_check.py), without
"whole" or "all", and a file again only when it, a header of ours that it reaches or its flags have changed;
BUILD/self_contained remembers.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from library_names import FOLDERS as NAMES_CHECKED, PRECOMPILED
from since_whole_check import INCLUDE, to_read
from sources import all_files
from tidy import fingerprint, our_commands, size_of

# It reads them in half of g++'s time.
CLANG = shutil.which("clang++-19")
FIRST_INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^">]+)', re.MULTILINE)
# Behind the source a header that does not exist: after this fatal error Clang makes no templates, a third
# of its time. It is the only error of a source that compiles by itself. g++ looks for headers before it
# reads the source, so it gets none.
END = "end_of_the_source.h"
ERROR = re.compile(r"\berror:")
OUTPUT = re.compile(r" -o \S+ -c \S+.*$")
# Flags of generated code and of warnings; without them one precompiled header fits all sources.
NOT_FOR_READING = re.compile(r"-[OW]|-f(PI|visibility|no-)|-m")


def reading_command(command):
    """The command that only reads, without the file."""
    words = [word for word in shlex.split(OUTPUT.sub("", command)) if not NOT_FOR_READING.match(word)]
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    return [CLANG or words[0], *words[1:], "-fsyntax-only", "-w"]


def library_words(words):
    """The words of a command that say where a library's headers are and what they are compiled with."""
    return [f"-isystem{word}" if before == "-isystem" else word
            for before, word in zip([""] + words, words)
            if before == "-isystem" or word.startswith("-D")]


def precompile(build, commands):
    """Precompiles the headers of libraries; what to add to each command so that the compiler uses them:
    it wants the same macros for all."""
    words = list(dict.fromkeys(word for command in commands for word in library_words(command)))
    # The folder of the marks holds nothing else.
    header = build / "self_contained_headers" / "headers.h"
    header.parent.mkdir(exist_ok=True)
    header.write_text("".join(f"#include <{name}>\n" for name in PRECOMPILED), encoding="utf-8")
    standard = [word for word in commands[0] if word.startswith("-std=")]
    subprocess.run([commands[0][0], *standard, *words, "-w", "-x", "c++-header", str(header),
                    "-o", f"{header}.{'pch' if CLANG else 'gch'}"], check=True)
    return [*words, "-include", str(header)]


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
    text = f'#include "{path}"\n' + (f'#include "{END}"\n' if CLANG else "")
    result = subprocess.run([*command, "-x", "c++", "-"], cwd=root, input=text, capture_output=True,
                            text=True, check=False)
    only_end = END in result.stderr and len(ERROR.findall(result.stderr)) == 1
    if result.returncode == 0 or only_end:
        mark.touch()
        return None
    return f"{path} does not compile by itself:\n{result.stderr}"


def main(root, build, arguments):
    everything = "all" in arguments
    folders = set(NAMES_CHECKED) | ({"kernels", "tests"} if everything else set())
    left_out = {"third_party"} | (set() if everything else {"kernels", "tests"})
    commands = source_commands(root, build, left_out)
    for header in list(headers_alone(root, folders)):
        commands[header] = nearest(header, {path: command for path, command in commands.items()
                                            if path.suffix == ".cpp"})
    marks = build / "self_contained"
    marks.mkdir(exist_ok=True)
    asked, todo, kept = to_read(root, commands, arguments), [], set()
    for path, command in commands.items():
        name = fingerprint(root, path, shlex.join(command), b"")
        kept.add(name)
        if path in asked and not (marks / name).exists():
            todo.append((path, command, marks / name))
    for mark in marks.iterdir():
        if mark.name not in kept:
            mark.unlink()
    todo.sort(key=lambda one: size_of(root, one[0]), reverse=True)
    checked = [command for path, command, _ in todo if path.parts[0] in NAMES_CHECKED]
    ready = precompile(build, checked) if checked else []
    todo = [(path, command + (ready if path.parts[0] in NAMES_CHECKED else []), mark)
            for path, command, mark in todo]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [found for found in pool.map(lambda one: look_at(root, *one), todo) if found]
    print("\n".join(problems))
    print(f"{len(kept)} files, {len(todo)} looked at, {len(problems)} with problems")
    return bool(problems) or not kept


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(),
                  sys.argv[3:]))
