"""tests/gpu/run --pack: what another machine needs, in build/gpu."""

import re
import shutil
import subprocess

from checks import PACKED, ROOT

# Found on any machine, or in LibTorch.
ELSEWHERE = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+|z|gomp|torch\w*|c10\w*|"
                       r"cudart|cupti))[.-].*")
MOST_BYTES = 64 << 20


def needed(file):
    """{name: path} of the other libraries that the file itself names."""
    named = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    told = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
    paths = dict(re.findall(r"(\S+) => (/\S+)", told))
    return {name: paths[name] for name in re.findall(r"\(NEEDED\).*\[(.+)\]", named)
            if not ELSEWHERE.fullmatch(name)}


def pack():
    """Copies programs and libraries; the bytes they take."""
    shutil.rmtree(PACKED, ignore_errors=True)
    PACKED.mkdir(parents=True)
    for name in ("tensorscope", "cuda_test", "libtensorscope_kernels.so", "libtensorscope_recorder.so",
                 "libtensorscope_cuda.so"):
        file = ROOT / "build/release" / name
        shutil.copy2(file, PACKED)
        subprocess.run(["strip", "--strip-debug", PACKED / name], check=True)
        for library, path in needed(file).items():
            shutil.copy2(path, PACKED / library)
    kernels = ROOT / "build/release/own_cuda"
    if kernels.is_dir():  # where nvcc was
        shutil.copytree(kernels, PACKED / "own_cuda")
    size = sum(file.stat().st_size for file in PACKED.rglob("*") if file.is_file())
    if size > MOST_BYTES:
        raise SystemExit(f"{PACKED} has {size} bytes; {MOST_BYTES} can be carried")
    return size
