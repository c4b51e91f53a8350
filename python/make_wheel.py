"""make_wheel.py OUT BUILD TORCH [BUILD TORCH]...: writes the wheel of the package and what was built into OUT.

TORCH is the folder of the LibTorch that the engine in BUILD was built with: each has a folder of the minor's name in
the wheel. The program is that of the first BUILD. The same files give the same wheel, byte by byte.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "tensorscope"
PROGRAM = "tensorscope"
BUILT = ("libtensorscope_kernels.so", "libtensorscope_recorder.so")
WHERE_BUILT = ("libtensorscope_cuda.so",)  # only where the headers of CUDA were
TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip archive knows
# CPython runs the same package from 3.9 on; the libraries look its functions up when they are loaded.
LEAST_PYTHON = "3.9"


def version():
    return re.search(r"project\(tensorscope VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def torch_minors():
    """Those that the package's own sentences name."""
    names = re.search(r"^TORCH = \((.*)\)", (PACKAGE / "_library.py").read_text(), re.M)[1]
    return re.findall(r'"([0-9.]+)"', names)


def minor_of(torch):
    version = re.search(r"__version__ = '(.*)'", (torch / "version.py").read_text())[1]
    return ".".join(version.split(".")[:2])


def torch_requirement(minors):
    """">=2.11,!=2.12.*,...,<2.16": a specifier has no "or", so those between are left out one by one."""
    numbers = [tuple(map(int, minor.split("."))) for minor in minors]
    (major, first), (last_major, last) = min(numbers), max(numbers)
    if major != last_major:
        sys.exit("make_wheel.py: minors of two majors; say here how pip is told of both")
    between = [f"!={major}.{minor}.*" for minor in range(first, last) if (major, minor) not in numbers]
    return ",".join([f">={major}.{first}", *between, f"<{major}.{last + 1}"])


def least_glibc(files):
    """(2, 35): the newest version that a function of glibc is asked for by."""
    needs = set()
    for file in files:
        listed = subprocess.run(["objdump", "-p", file], check=True, capture_output=True, text=True).stdout
        needs |= {(int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", listed)}
    return max(needs)


def metadata():
    return (f"Metadata-Version: 2.4\nName: tensorscope\nVersion: {version()}\n"
            "Summary: Interactive profiler for attention, MLP and transformer workloads, and for scripts of PyTorch\n"
            "License-Expression: MIT\nLicense-File: LICENSE\nLicense-File: NOTICE\n"
            f"Requires-Python: >={LEAST_PYTHON}\nRequires-Dist: torch{torch_requirement(torch_minors())}\n")


def binaries(builds):
    """{name in the package: file} of {minor: BUILD}"""
    found = {PROGRAM: next(iter(builds.values())) / PROGRAM}
    for minor, build in builds.items():
        for name in BUILT + tuple(name for name in WHERE_BUILT if (build / name).is_file()):
            found[f"{minor}/{name}"] = build / name
    return found


def members(built, tag):
    """{name in the wheel: (content, permissions)}"""
    info = f"tensorscope-{version()}.dist-info/"
    found = {}
    for source in sorted(PACKAGE.glob("*.py")):
        found["tensorscope/" + source.name] = source.read_bytes(), 0o644
    for name, file in built.items():
        found["tensorscope/" + name] = file.read_bytes(), 0o755
    for name in ("LICENSE", "NOTICE"):
        found[info + "licenses/" + name] = (ROOT / name).read_bytes(), 0o644
    texts = {"METADATA": metadata(),
             "WHEEL": f"Wheel-Version: 1.0\nGenerator: tensorscope ({version()})\nRoot-Is-Purelib: false\n"
                      f"Tag: py3-none-{tag}\n",
             "entry_points.txt": "[console_scripts]\ntensorscope = tensorscope.__main__:main\n",
             "top_level.txt": "tensorscope\n"}
    found.update({info + name: (text.encode(), 0o644) for name, text in texts.items()})
    found[info + "RECORD"] = record(found, info + "RECORD").encode(), 0o644
    return found


def record(found, itself):
    rows = []
    for name, (content, _) in found.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join(rows) + f"{itself},,\n"


def write(path, found):
    fresh = path.with_suffix(".new")
    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, permissions) in found.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o100000 | permissions) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    # The same members, names and times, a twelfth smaller.
    subprocess.run(["advzip", "--recompress", "--shrink-extra", "--quiet", fresh], check=True)
    fresh.replace(path)


def main(out, *folders):
    builds = {minor_of(torch): build for build, torch in zip(folders[::2], folders[1::2])}
    if list(builds) != torch_minors():
        sys.exit(f"make_wheel.py: engines for torch {' and '.join(builds)}, and the package says "
                 f"{' and '.join(torch_minors())}")
    built = binaries(builds)
    absent = [str(file) for file in built.values() if not file.is_file()]
    if absent:
        sys.exit(f"make_wheel.py: there is no {' and no '.join(absent)}")
    tag = "manylinux_{}_{}_x86_64".format(*least_glibc(built.values()))
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"tensorscope-{version()}-py3-none-{tag}.whl"
    write(path, members(built, tag))
    print(path)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
