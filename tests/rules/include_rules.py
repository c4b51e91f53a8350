"""include_rules.py ROOT: proves which folder includes which, and who may see which library.

A folder includes only what stands above it in the table, so there is no circle; no folder holds more
than MOST_FILES files, and none more than a fifth of core. docs/architecture.md has a row for each
folder, in the opposite order.
"""

import collections
import pathlib
import re
import sys

from sources import code_files

MOST_FILES = 40

# Folder -> folders it may include besides itself.
FOLDERS = {
    "assets": [],
    "core/base": [],
    "core/text": ["assets", "core/base"],
    "core/trace": ["core/base"],
    "core/memory": ["core/base"],
    "core/allocator": ["core/base", "core/text", "core/memory"],
    "core/blocks": ["core/base", "core/text", "core/memory", "core/allocator"],
    "core/capture": ["core/base", "core/trace", "core/memory"],
    "core/stats": ["core/base", "core/trace", "core/memory"],
    "core/io": ["core/base", "core/text"],
    "core/snapshot": ["core/base", "core/text", "core/allocator", "core/io"],
    "core/exported": ["core/base", "core/text", "core/io"],
    "core/spec": ["core/base", "core/text", "core/allocator", "core/io", "core/exported"],
    "core/run": ["core/base", "core/text", "core/trace", "core/memory", "core/capture",
                 "core/stats", "core/io", "core/spec"],
    "core/report": ["core/base", "core/text", "core/memory", "core/stats", "core/io", "core/spec",
                    "core/run"],
    "core/predict": ["core/base", "core/text", "core/memory", "core/allocator", "core/io",
                     "core/spec", "core/run", "core/report"],
    "core/sweep": ["core/base", "core/text", "core/memory", "core/stats", "core/io", "core/spec",
                   "core/run", "core/report", "core/predict"],
    "core/trace_file": ["core/base", "core/text", "core/io"],
    "core/calculate": ["core/base", "core/text", "core/io"],
    "core/simulate": ["core/base", "core/text", "core/io", "core/calculate", "core/trace_file"],
    "core/loader": ["core/base", "core/text", "core/io", "core/calculate", "core/trace_file", "core/simulate"],
    "core/live": ["core/base", "core/text", "core/capture", "core/io", "core/run"],
    "core/findings": ["core/base", "core/text", "core/trace", "core/memory", "core/run", "core/report"],
    "core/files": ["core/base", "core/text", "core/trace", "core/memory", "core/allocator",
                   "core/blocks", "core/capture", "core/io", "core/spec", "core/snapshot", "core/trace_file",
                   "core/run", "core/report", "core/findings", "core/live"],
    "core/kernel_check": ["core/base", "core/text", "core/io"],
    "core/script": ["core/base", "core/text", "core/spec"],
    "core/checks": ["core/base", "core/text", "core/stats", "core/spec", "core/run", "core/report",
                    "core/trace_file", "core/simulate", "core/io"],
    "core/stepper": ["core/base", "core/text", "core/allocator", "core/io", "core/calculate"],
    "core/kernel_plan": ["core/base", "core/text", "core/stats", "core/io", "core/spec",
                         "core/run", "core/report", "core/stepper"],
    "core/lessons": ["core/base", "core/text", "core/io", "core/spec", "core/run", "core/predict",
                     "core/sweep", "core/stats", "core/calculate", "core/simulate", "core/loader", "core/stepper"],
    "core/advice": ["core/base", "core/text", "core/trace", "core/stats", "core/io", "core/exported", "core/spec",
                    "core/run", "core/report", "core/predict", "core/sweep", "core/lessons",
                    "core/calculate"],
    "core/cluster": ["core/base", "core/text", "core/io", "core/spec", "core/run", "core/report", "core/predict",
                     "core/advice"],
    "kernels/cuda": ["core"],
    "kernels/observe": ["core", "kernels/cuda"],
    "kernels/dry_run": ["core", "kernels/observe"],
    "kernels/device": ["core", "kernels/cuda", "kernels/observe", "kernels/dry_run"],
    "kernels/own": [],
    "kernels/executor": [],
    "kernels/own_cuda": ["core/base", "core/report", "kernels/executor"],
    "kernels/operators": ["core", "kernels/observe", "kernels/own", "kernels/own_cuda"],
    "kernels/data": ["core", "kernels/observe"],
    "kernels/optim": ["core", "kernels/observe"],
    "kernels/share": ["core", "kernels/observe", "kernels/dry_run"],
    "kernels/layers": ["core", "kernels/observe", "kernels/device", "kernels/operators",
                       "kernels/share"],
    "kernels/attention": ["core", "kernels/observe", "kernels/dry_run", "kernels/device",
                          "kernels/operators", "kernels/layers", "kernels/own", "kernels/own_cuda"],
    "kernels/exported": ["core", "kernels/observe", "kernels/dry_run", "kernels/device",
                         "kernels/layers"],
    "kernels/workloads": ["core", "kernels/observe", "kernels/data", "kernels/operators",
                          "kernels/layers", "kernels/attention", "kernels/exported",
                          "kernels/share"],
    "kernels/ranks": ["core", "kernels/observe", "kernels/layers", "kernels/share"],
    "kernels/compiled": ["core", "kernels/observe", "kernels/device", "kernels/layers",
                         "kernels/workloads"],
    "kernels/engine": ["core", "kernels/cuda", "kernels/observe", "kernels/dry_run",
                       "kernels/device", "kernels/layers", "kernels/optim", "kernels/workloads",
                       "kernels/share", "kernels/ranks", "kernels/compiled",
                       "kernels/operators", "kernels/own"],
    "kernels/record": ["core", "kernels/cuda", "kernels/observe", "kernels/dry_run"],
    "kernels": [],
    "views/common": ["assets", "core"],
    "views/charts": ["assets", "core", "views/common"],
    "views": ["assets", "core", "views/common", "views/charts"],
    "app/output": ["assets", "core", "views/common"],
    "app/session": ["assets", "core", "views", "app/output"],
    "app/own_file": ["core", "app/output", "app/session"],
    "app/ranks": ["core", "app/output", "app/session"],
    "app/lessons": ["assets", "core", "views", "app/output", "app/session"],
    "app/pictures": ["assets", "core", "views", "app/session"],
    "app/pages": ["assets", "core", "views", "app/session", "app/lessons"],
    "app/saved": ["core", "views", "app/output", "app/session", "app/lessons", "app/pages"],
    "app/sheets": ["core", "views", "app/output", "app/session", "app/own_file", "app/ranks", "app/lessons", "app/pages"],
    "app/window": ["assets", "core", "views", "app/output", "app/session", "app/own_file", "app/lessons",
                   "app/pictures", "app/pages", "app/saved", "app/sheets"],
    "app/commands": ["assets", "core", "views", "app/output", "app/session", "app/own_file", "app/ranks", "app/lessons",
                     "app/pictures", "app/pages", "app/window"],
    "app/loader": ["assets", "core", "views", "app/output", "app/session", "app/commands"],
    "app": ["core", "app/commands"],
    "tests": ["assets", "core", "views", "app", "tests"],
    "tests/own": ["kernels/own", "tests"],
    "tests/executor": ["core/report", "kernels/executor", "kernels/own_cuda", "tests"],
    "tests/kernels": ["core", "kernels", "tests"],
}
# The engine is loaded at run time and sees the workload, never a file of a sweep or of a snapshot. What records a
# script writes its files itself.
HIDDEN = {"kernels": ["core/sweep", "core/lessons", "core/files", "core/snapshot"],
          "kernels/record": ["core/sweep", "core/lessons", "core/files"]}

# Header pattern -> folders that may include it.
LIBRARIES = [
    ("torch", r"(torch|ATen|c10|caffe2)/.*", ["kernels", "tests/kernels"]),
    ("CUPTI", r"cupti.*\.h|nvperf.*\.h", ["kernels/cuda", "tests/kernels"]),
    ("CUDA", r"cuda.*\.h|nv[a-z]+\.h|device_launch_parameters\.h",
     ["kernels/cuda", "tests/kernels"]),
    ("Dear ImGui and GLFW", r"(imgui|implot|GLFW/|.*/imgui).*",
     ["views", "app", "tests/views", "tests/gui", "tests/app", "tests/bench"]),
    ("libpng", r"png\.h", ["core/io", "tests/io", "tests/app", "tests/gui"]),
    ("zlib", r"zlib\.h", ["core/io", "tests/io", "tests/exported"]),
    ("libjpeg-turbo and stb", r"turbojpeg\.h|stb/.*", ["core/loader"]),
    ("Mbed TLS", r"mbedtls/.*", ["core/io"]),
    ("CLI11", r"CLI/.*", ["app/commands", "app/loader"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def longest_match(name, folders):
    matching = [folder for folder in folders if name == folder or name.startswith(folder + "/")]
    return max(matching, key=len, default=None)


def own_folder(path):
    """The folder that is one module: views/timeline, core/trace, app/window, ..."""
    parts = path.parts
    deep = parts[0] in ("app", "core", "kernels", "views") and len(parts) > 2
    return "/".join(parts[:2]) if deep else parts[0]


def problems_of_table():
    above = set()
    for folder, allowed in FOLDERS.items():
        for other in allowed:
            missing = (other != folder and other not in above
                       and not any(name.startswith(other + "/") for name in above))
            if missing:
                yield f"include_rules.py: {folder} includes {other}, which stands below it"
        above.add(folder)


def problems_of(root, path):
    name = path.as_posix()
    rule = longest_match(name, FOLDERS)
    own = own_folder(path)
    # A folder of its own inside core, app or kernels needs a line of its own.
    if rule is None or own.partition("/")[0] in ("app", "core", "kernels") and rule != own:
        yield f"{name}: its folder is missing in the table of include_rules.py"
        return
    hidden = HIDDEN.get(longest_match(rule, HIDDEN), [])
    allowed = FOLDERS[rule]
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
            inside = own_folder(pathlib.PurePath(target)) == own
            if not inside and (longest_match(target, allowed) is None
                               or longest_match(target, hidden) is not None):
                yield f"{place}: {rule} must not include {target}"
        elif not any(re.fullmatch(pattern, target) for _, pattern, _ in LIBRARIES):
            yield f"{place}: no file {target}: includes start at the top of the tree"


def problems_of_sizes(paths):
    files = collections.Counter(own_folder(path) for path in paths if path.parts[0] != "tests")
    core = sum(count for folder, count in files.items() if folder.startswith("core/"))
    for folder, count in sorted(files.items()):
        if count > MOST_FILES:
            yield f"{folder}: {count} files, more than {MOST_FILES}: it holds more than one job"
        if core > 5 * MOST_FILES and folder.startswith("core/") and 5 * count > core:
            yield f"{folder}: {count} of the {core} files of core, more than a fifth"


def problems_of_document(root):
    """Every folder has its row in docs/architecture.md, above the rows that it may include."""
    document = pathlib.Path(root) / "docs/architecture.md"
    if not document.is_file():
        return
    section = document.read_text(encoding="utf-8").partition("## Modules")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z_/]+)` \|", section, re.MULTILINE)
    for folder, allowed in FOLDERS.items():
        if folder.partition("/")[0] not in ("app", "core", "kernels", "views") or folder in ("kernels", "views"):
            continue
        if folder not in rows:
            yield f"docs/architecture.md: the table lacks {folder}"
            continue
        for other in allowed:
            if other in rows and rows.index(other) < rows.index(folder):
                yield f"docs/architecture.md: {folder} includes {other}, whose row stands above it"


def problems(root):
    paths = code_files(root)
    return [*problems_of_table(), *problems_of_document(root), *problems_of_sizes(paths),
            *(problem for path in paths for problem in problems_of(root, path))]


if __name__ == "__main__":
    found = problems(sys.argv[1])
    print("\n".join(found) or f"{len(code_files(sys.argv[1]))} files keep the include rules")
    sys.exit(bool(found))
