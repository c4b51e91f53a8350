"""include_rules.py ROOT: proves which folder includes which, and who may see which library.

The table is the dependency diagram of docs/architecture.md:
base <- trace, memory <- capture, stats, io <- run <- views <- app; kernels sees core only.
"""

import pathlib
import re
import sys

from sources import code_files

CORE_OF_KERNELS = ["core/base", "core/trace", "core/memory", "core/capture", "core/stats",
                   "core/text", "core/io", "core/run"]

# Folder -> folders it may include besides itself. The longest matching folder counts.
FOLDERS = {
    "assets": [],
    "core/base": [],
    "core/text": ["core/base"],
    "core/trace": ["core/base"],
    "core/memory": ["core/base"],
    "core/capture": ["core/base", "core/trace", "core/memory"],
    "core/stats": ["core/base", "core/trace", "core/memory"],
    "core/io": ["core/base", "core/trace", "core/memory", "core/text"],
    "core/run": ["core/base", "core/trace", "core/memory", "core/capture", "core/stats",
                 "core/io", "core/text"],
    "core/files": ["core/base", "core/trace", "core/memory", "core/capture", "core/io",
                   "core/run", "core/text"],
    "kernels": CORE_OF_KERNELS,
    "views/common": ["assets", "core"],
    "views/charts": ["assets", "core", "views/common"],
    "views": ["assets", "core", "views/common", "views/charts"],
    "app": ["assets", "core", "views"],
    "tests": ["assets", "core", "views", "app", "tests"],
    "tests/kernels": CORE_OF_KERNELS + ["kernels", "tests"],
}

# Header pattern -> folders that may include it.
LIBRARIES = [
    ("torch", r"(torch|ATen|c10|caffe2)/.*", ["kernels", "tests/kernels"]),
    ("CUPTI", r"cupti.*\.h|nvperf.*\.h", ["kernels/cuda", "tests/kernels"]),
    ("CUDA", r"cuda.*\.h|nv[a-z]+\.h|device_launch_parameters\.h",
     ["kernels/cuda", "tests/kernels"]),
    ("Dear ImGui and GLFW", r"(imgui|implot|GLFW/|.*/imgui).*",
     ["views", "app", "tests/views", "tests/gui", "tests/app", "tests/bench"]),
    ("libpng", r"png\.h", ["core/io", "tests/io", "tests/gui"]),
    ("CLI11", r"CLI/.*", ["app"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def longest_match(name, folders):
    matching = [folder for folder in folders if name == folder or name.startswith(folder + "/")]
    return max(matching, key=len, default=None)


def own_folder(path):
    """The folder that is one module: views/timeline, core/trace, kernels, ..."""
    parts = path.parts
    deep = parts[0] in ("core", "views") and len(parts) > 2
    return "/".join(parts[:2]) if deep else parts[0]


def problems_of(root, path):
    name = path.as_posix()
    rule = longest_match(name, FOLDERS)
    if rule is None:
        yield f"{name}: its folder is missing in the table of include_rules.py"
        return
    allowed = FOLDERS[rule] + [own_folder(path)]
    text = (pathlib.Path(root) / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        place, target = f"{name}:{number}", match[2]
        for library, pattern, users in LIBRARIES:
            if re.fullmatch(pattern, target) and longest_match(name, users) is None:
                yield f"{place}: {target}: {library} belongs to {', '.join(users)} alone"
        if match[1] == "<":
            continue
        if (pathlib.Path(root) / target).is_file():
            if longest_match(target, allowed) is None:
                yield f"{place}: {rule} must not include {target}"
        elif not any(re.fullmatch(pattern, target) for _, pattern, _ in LIBRARIES):
            yield f"{place}: no file {target}: includes start at the top of the tree"


def problems(root):
    return [problem for path in code_files(root) for problem in problems_of(root, path)]


if __name__ == "__main__":
    found = problems(sys.argv[1])
    print("\n".join(found) or f"{len(code_files(sys.argv[1]))} files keep the include rules")
    sys.exit(bool(found))
