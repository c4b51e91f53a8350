# Sourced by setup.sh. DEPS/torch_python: a Python that imports the pinned torch, for compiling steps
# ahead of time and for the tests that compare with PyTorch's Python.

# libtorch_python.so needs libtorch_cuda.so, which needs the libraries of CUDA, 1.6 GB that a computer
# without a GPU has no use for. Where they are not installed these stand in: an empty library of each
# name, and one with every function that is asked for. (It is apart because the loader accepts
# functions without a version only from a library that none was asked of by name.) None is ever called:
# without a driver PyTorch sees no GPU. Installed ones come first, in the libraries' own search path.
# make_stand_ins FOLDER: for the torch in FOLDER/site.
make_stand_ins() {
  local lib=$1/site/torch/lib folder=$1/stand_ins.new names name
  rm -rf "$folder"
  mkdir -p "$folder"
  names=$(for name in libtorch_cuda libtorch_nvshmem libtorch_python; do
    objdump -p "$lib/$name.so" | sed -n 's/^ *NEEDED *\(lib\(cu\|nccl\|nvshmem\)[^ ]*\)$/\1/p'
  done | grep -v cudart | sort -u)
  for name in libtorch_cuda libtorch_nvshmem libtorch_python; do
    nm -D --undefined-only "$lib/$name.so"
  done | sed -n 's/^ *U \(\(cu[A-Za-z]*\|nccl\|pnccl\|nvshmem\)[A-Za-z0-9_]*\)\(@.*\)\?$/\1/p' |
    grep -v '^cuda\|^cupti' | sort -u | sed 's/.*/void &(void) { __builtin_trap(); }/' >"$folder/functions.c"
  "$CC" -shared -fPIC -w "$folder/functions.c" -Wl,-soname,libstand_in.so -o "$folder/libstand_in.so"
  for name in $names; do
    "$CC" -shared -fPIC -x c /dev/null -Wl,-soname,"$name" -Wl,--no-as-needed -L"$folder" -lstand_in \
      -o "$folder/$name"
  done
  rm -rf "$1/stand_ins"
  mv "$folder" "$1/stand_ins"
}

# make_torch_python FOLDER [SITE]: for the torch in FOLDER/site, with what SITE has besides.
make_torch_python() {
  local folder=$1 candidate python=
  for candidate in python3.11 python3 /usr/bin/python3; do
    python=$("$candidate" -c 'import sys; sys.version_info[:2] == (3, 11) and print(sys.executable)' \
      2>/dev/null) && [[ -n $python ]] && break
  done
  if [[ -z $python ]]; then  # another Python cannot load PyTorch's part of the wheel
    rm -f "$folder/torch_python"
    return
  fi
  [[ $folder/stand_ins -nt $folder/site/.pins/torch ]] || make_stand_ins "$folder"
  {
    printf '#!/bin/sh\n# Python with the torch beside it; what Python compiles of it is kept, apart from all sources.\n'
    printf 'unset PYTHONDONTWRITEBYTECODE\nexport PYTHONPYCACHEPREFIX=%q\n' "$folder/python_cache"
    printf 'export PYTHONPATH=%q LD_LIBRARY_PATH=%q\n' "$folder/site${2:+:$2}" "$folder/stand_ins"
    printf 'exec %q "$@"\n' "$python"
  } >"$folder/torch_python.new"
  chmod +x "$folder/torch_python.new"
  mv "$folder/torch_python.new" "$folder/torch_python"
}
