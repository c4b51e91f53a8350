#!/usr/bin/env bash
# setup.sh [--tests|--fuzz|--package]: brings what is missing for the build, with --tests for the tests, with --fuzz
# for tests/fuzz/run_fuzzers.sh, with --package for ./package, which builds for a second LibTorch as well.
#
# Debian and Ubuntu packages come from apt-get; LibTorch, CUDA libraries and the sources of the
# window libraries come pinned (pins.sh) into TENSORSCOPE_DEPS, by default third_party/.deps.
# Nothing to do takes milliseconds and no network.
#   TENSORSCOPE_LIBTORCH=DIR  use this LibTorch 2.11 (the folder with include/ and lib/)
#   TENSORSCOPE_CUDA=1|0      fetch the GPU part also without a driver, and nvcc if there is none |
#                             leave it out. Not set: where there is an NVIDIA driver, without nvcc.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/say.sh"
. "$here/pins.sh"
. "$here/system_packages.sh"
. "$here/downloads.sh"
. "$here/torch_python.sh"

deps=${TENSORSCOPE_DEPS:-$here/.deps}
mkdir -p "$deps"
deps=$(cd "$deps" && pwd)
exec 9>"$deps/.lock"
flock 9

find_system
packages=("${system_packages[@]}" "${build_packages[@]}")
[[ ${1:-} == --tests ]] && packages+=("${system_test_packages[@]}" "${test_packages[@]}")
[[ ${1:-} == --fuzz ]] && packages+=("${test_packages[@]}" "${fuzz_packages[@]}")
[[ ${1:-} == --package ]] && packages+=("${wheel_packages[@]}")
if $known_system; then
  install_packages "${packages[@]}"
else
  check_unknown_system "${packages[@]}"
fi
find_compiler

driver_is_here() {
  [[ -e /proc/driver/nvidia/version || -e /usr/lib/wsl/lib/libcuda.so.1 ]] ||
    ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'
}
nvcc_is_here() {
  local nvcc version
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  [[ -x $nvcc ]] || return 1
  version=$("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\).*/\1/p')
  [[ $(printf '%s\n' 13.0.1 "$version" | sort -V | head -n 1) == 13.0.1 ]]
}

wheels=("${engine_pins[@]}" "${python_pins[@]}")
newest_wheels=()
[[ ${1:-} == --package ]] && newest_wheels=("${newest_pins[@]}")
newest=$deps/$newest_minor
if [[ -n ${TENSORSCOPE_LIBTORCH:-} ]]; then
  [[ -e $TENSORSCOPE_LIBTORCH/lib/libtorch_cpu.so && -d $TENSORSCOPE_LIBTORCH/include/ATen ]] ||
    stop "TENSORSCOPE_LIBTORCH names ${TENSORSCOPE_LIBTORCH}, which has no lib/libtorch_cpu.so with" \
      "include/ATen beside it. Name the folder torch/ of a Python installation or of a LibTorch zip."
  version=$(sed -n "s/^__version__ = '\(.*\)'/\1/p" "$TENSORSCOPE_LIBTORCH/version.py" 2>/dev/null ||
    cat "$TENSORSCOPE_LIBTORCH/build-version" 2>/dev/null || echo unknown)
  [[ $version == 2.11.* ]] ||
    stop "TENSORSCOPE_LIBTORCH names version ${version}; Tensorscope is written for 2.11."
  wheels=("${engine_pins[@]:1}")  # headers of CUPTI and of the CUDA runtime
elif [[ ${TENSORSCOPE_CUDA:-} == 1 ]] || { [[ ${TENSORSCOPE_CUDA:-} != 0 ]] && driver_is_here; }; then
  wheels+=("${cuda_pins[@]}")
fi
if [[ ${TENSORSCOPE_CUDA:-} == 1 ]] && ! nvcc_is_here; then
  wheels+=("${nvcc_pins[@]}")
fi
cmake=cmake
tools=()
if ! printf '%s\n' 3.25 "$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p')" | sort -CV; then
  tools=("$cmake_pin")
  cmake=$deps/tools/cmake/data/bin/cmake
fi
modules=()
if [[ ${1:-} == --tests ]]; then
  tools+=("$tidy_pin")
  modules=("${transformers_pins[@]}")
fi

# Megabytes still to be fetched; unpacked and built they take about three times that.
to_fetch=0
forget_other_pins "$deps/site" "${wheels[@]}"
forget_other_pins "$newest/site" "${newest_wheels[@]}"
forget_other_pins "$deps/imgui_bundle" "$window_pin"
forget_other_pins "$deps/transformers" ${modules[@]+"${modules[@]}"}
add_to_fetch() {
  local folder=$1 pin name version size hash
  shift
  for pin in "$@"; do
    read -r name version size hash <<<"$pin"
    already_there "$folder" "$pin" || to_fetch=$((to_fetch + size))
  done
}
add_to_fetch "$deps/site" "${wheels[@]}"
add_to_fetch "$newest/site" "${newest_wheels[@]}"
add_to_fetch "$deps/imgui_bundle" "$window_pin"
add_to_fetch "$deps/tools" "${tools[@]}"
add_to_fetch "$deps/transformers" ${modules[@]+"${modules[@]}"}
if ((to_fetch > 0)); then
  find_python
  free=$(df -Pm "$deps" | awk 'NR == 2 {print $4}')
  needed=$((to_fetch * 3 + 700))
  ((free >= needed)) ||
    stop "Too little disk space: ${deps} has ${free} MB free and about ${needed} MB are needed." \
      "Make room, or name a folder on a larger disk with TENSORSCOPE_DEPS."
  say "Fetching ${to_fetch} MB into ${deps}"
  # PyTorch's tools for protocol buffers are of no use here.
  fetch "$deps/site" wheel "--without torch/bin/protoc" "${wheels[@]}"
  fetch "$newest/site" wheel "--without torch/bin/protoc" ${newest_wheels[@]+"${newest_wheels[@]}"}
  fetch "$deps/imgui_bundle" sdist "--only external/imgui/ --only external/glfw/ --only external/implot/
    --only external/imgui_test_engine/ --only external/portable_file_dialogs/
    --only external/imgui-command-palette/ --only LICENSE
    --only external/hello_imgui/hello_imgui/hello_imgui_assets/fonts/" "$window_pin"
  fetch "$deps/tools" wheel "" ${tools[@]+"${tools[@]}"}
  fetch "$deps/transformers" wheel "" ${modules[@]+"${modules[@]}"}
  say "Everything is there."
fi

if [[ -z ${TENSORSCOPE_LIBTORCH:-} ]]; then
  make_torch_python "$deps"
  if ((${#newest_wheels[@]} > 0)); then make_torch_python "$newest" "$deps/site"; fi
fi
{
  printf 'export TENSORSCOPE_DEPS=%q TENSORSCOPE_LIBTORCH=%q\n' "$deps" "${TENSORSCOPE_LIBTORCH:-}"
  printf 'export CXX=%q CC=%q CMAKE=%q\n' "$CXX" "$CC" "$cmake"
  printf 'export TENSORSCOPE_NEWEST_TORCH=%q\n' "$newest_minor"
} >"$deps/environment.sh"
