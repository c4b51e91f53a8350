# Sourced by ./run and ./test after setup.sh: configures and builds a preset.
. "${TENSORSCOPE_DEPS:-$root/third_party/.deps}/environment.sh"

# Without these ccache refuses every source that uses a precompiled header.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

# Files that see torch take up to 2 GB each to compile, so memory bounds the jobs as well as cores.
jobs=$(($(awk '/MemTotal/ {print $2}' /proc/meminfo) / 2000000))
((jobs <= $(nproc))) || jobs=$(nproc)
((jobs >= 1)) || jobs=1

# The sanitized builds only run tests: Clang makes them in half of g++'s time where it is installed.
use_compiler_of() {
  case $1 in
    asan | tsan)
      if command -v clang++-19 >/dev/null; then
        CXX=$(command -v clang++-19)
        CC=$(command -v clang-19)
      fi
      ;;
  esac
}

# build PRESET TARGET [-DOPTION...]: configuring is left out when it was done with the same options
# and presets; the build itself notices changed CMake files.
build() {
  local preset=$1 target=$2 folder=$root/build/$1
  local -x CXX=$CXX CC=$CC
  use_compiler_of "$preset"
  shift 2
  local settings="$TENSORSCOPE_DEPS $TENSORSCOPE_LIBTORCH $CXX $* $(cksum <"$root/CMakePresets.json")"
  if [[ ! -f $folder/build.ninja || $(cat "$folder/settings" 2>/dev/null) != "$settings" ]]; then
    say "Configuring build/$preset"
    (cd "$root" && "$CMAKE" --fresh --preset "$preset" "-DTENSORSCOPE_DEPS=$TENSORSCOPE_DEPS" \
      "-DTENSORSCOPE_LIBTORCH=$TENSORSCOPE_LIBTORCH" "$@" >&2)
    printf '%s' "$settings" >"$folder/settings"
  fi
  say "Building build/$preset"
  "$CMAKE" --build "$folder" --target "$target" --parallel "$jobs" >&2
}
