"""Starts the program that came with this package: every command but `record`."""

import importlib.machinery
import json
import os
import pathlib
import re
import subprocess
import sys

from ._library import Unavailable, in_words, minor_of, minors_in

# The facts about torch that the program gets.
TOLD = ("TENSORSCOPE_TORCH", "TENSORSCOPE_TORCH_BUILT", "TENSORSCOPE_TORCH_HERE")
# So long a script that has ended waits for what is found in its recording.
MOST_SECONDS = 20


def program():
    """The program in the package (a wheel) or in a built tree; None where it is not."""
    package = pathlib.Path(__file__).resolve().parent
    places = [package / "tensorscope", package.parents[1] / "build" / "release" / "tensorscope"]
    return next((place for place in places if os.access(place, os.X_OK) and place.is_file()), None)


def torch_here():
    """(folder, version) of the torch that this Python would import, without importing it."""
    found = importlib.machinery.PathFinder.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        return None, None
    folder = pathlib.Path(list(found.submodule_search_locations)[0])
    try:
        words = re.search(r"__version__ *= *'([^']*)'", (folder / "version.py").read_text(encoding="utf-8"))
    except OSError:
        words = None
    return folder, words[1] if words else "of no known version"


def environment(program_file, variables):
    """That of the program: which of its engines fits the torch of this Python. Where none does, it says so itself."""
    variables = {**variables}
    variables.setdefault("TENSORSCOPE_PYTHON", sys.executable)
    for name in TOLD:
        variables.pop(name, None)
    minors = minors_in(pathlib.Path(variables.get("TENSORSCOPE_ENGINE_DIR") or program_file.parent))
    if not minors:
        return variables  # one engine beside the program: who built it knows for what torch
    folder, version = torch_here()
    variables.update(TENSORSCOPE_TORCH_BUILT=in_words(minors, "and" if folder else "or"),
                     TENSORSCOPE_TORCH_HERE=version or "")
    if folder is None or minor_of(version) not in minors:
        return variables
    variables["TENSORSCOPE_TORCH"] = minor_of(version)
    # For a torch that is not in the folder beside this package, such as one for all users.
    libraries = [str(folder / "lib"), variables.get("LD_LIBRARY_PATH", "")]
    variables["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, libraries))
    return variables


def ask(*arguments, timeout=None):
    """The output of the program; Unavailable with its sentence where it fails."""
    file = program()
    if file is None:
        raise Unavailable("there is no program in this package, so nothing is shown")
    done = subprocess.run([str(file), *map(os.fspath, arguments)], env=environment(file, os.environ),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
    if done.returncode:
        raise Unavailable(done.stderr.strip() or f"the program ended with {done.returncode}")
    return done.stdout


def findings(recording):
    """Mistakes in a recorded script, "F-4 train.py:12: ...", or why they are not known; none where the program is not
    there, or the recording is no file."""
    if program() is None or not os.path.isfile(recording):
        return []
    try:
        told = json.loads(ask("summary", "--json", recording, timeout=MOST_SECONDS))
        return [f"{one['check']} {one['found']}" for one in told.get("findings", ())]
    except subprocess.TimeoutExpired:
        return [f"mistakes in the script were not looked for to the end, which takes more than {MOST_SECONDS} s here: "
                f"tensorscope summary {os.fspath(recording)} does"]
    except (Unavailable, OSError, ValueError, KeyError) as why:
        return [f"mistakes in the script were not looked for: {str(why).removeprefix('tensorscope: ')}"]


def start(arguments):
    """Becomes the program. Returns 2 where there is none."""
    file = program()
    if file is None:
        print("tensorscope: the program is not in this package: build it with ./run, or install the wheel "
              "that ./package makes", file=sys.stderr)
        return 2
    sys.stdout.flush()
    os.execve(file, ["tensorscope", *arguments], environment(file, os.environ))
