"""linked_libraries.py PROGRAM: the program starts where there is no X, GL, torch or CUDA."""

import re
import subprocess
import sys

FORBIDDEN = re.compile(r"lib(X\w*|GL\w*|EGL|OSMesa|torch\w*|c10\w*|cuda\w*|cupti\w*|nv\w*|glfw)\.so")


def needed_libraries(program):
    listing = subprocess.run(["readelf", "--dynamic", program], check=True, capture_output=True,
                             text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listing)


if __name__ == "__main__":
    needed = needed_libraries(sys.argv[1])
    print("needs", " ".join(needed))
    found = [library for library in needed if FORBIDDEN.match(library)]
    if found:
        print("must not be linked:", " ".join(found))
    sys.exit(bool(found) or not needed)
