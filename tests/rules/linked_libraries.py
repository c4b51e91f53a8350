"""linked_libraries.py PROGRAM LIBRARY...: what the built files link and where they look for it.

The program starts where there is no X, GL, torch or CUDA, and neither it nor the libraries need what
is linked into them. None of them looks for others in a folder that depends on where a command is
started: whoever can write there would have their code run.
"""

import re
import subprocess
import sys

FORBIDDEN = re.compile(r"lib(X\w*|GL\w*|EGL|OSMesa|torch\w*|c10\w*|cuda\w*|cupti\w*|nv\w*|glfw)\.so")
# Linked statically: systems may lack it.
INSIDE = re.compile(r"libmbed\w*\.so")
# From the root on, or from where the file itself is.
FIXED = re.compile(r"/|\$ORIGIN(/|$)|\$\{ORIGIN\}(/|$)")


def dynamic_section(path):
    return subprocess.run(["readelf", "--dynamic", path], check=True, capture_output=True,
                          text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def needed_libraries(section):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", section)


def relative_folders(section):
    """Those of the run paths; an empty one is the current folder."""
    paths = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", section)
    return [folder for path in paths for folder in path.split(":") if not FIXED.match(folder)]


def main(program, libraries):
    needed = needed_libraries(dynamic_section(program))
    print("needs", " ".join(needed))
    problems = [f"{program} must not be linked with {library}"
                for library in needed if FORBIDDEN.match(library)]
    if not needed:
        problems.append(f"{program} says nothing of what it needs")
    for path in [program, *libraries]:
        section = dynamic_section(path)
        problems += [f"{path} needs {library}, which belongs inside it"
                     for library in needed_libraries(section) if INSIDE.match(library)]
        for folder in relative_folders(section):
            problems.append(f'{path} looks for libraries in "{folder}", below the current folder')
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
