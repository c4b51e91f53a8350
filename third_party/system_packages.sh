# Sourced by setup.sh. Which system this is, and its packages.

build_packages=(
  cmake ninja-build ccache pkg-config python3 python3-pip
  libfmt-dev libcli11-dev libexpected-dev nlohmann-json3-dev libpng-dev
  libmbedtls-dev zlib1g-dev libturbojpeg0-dev libstb-dev
  libx11-dev libxrandr-dev libxinerama-dev libxcursor-dev libxi-dev libxext-dev
  libgl1 libgl1-mesa-dri libosmesa6
  fonts-inter fonts-noto-cjk
)
test_packages=(
  libgtest-dev libgmock-dev libbenchmark-dev xvfb xauth clang-format-14
  python3-numpy python3-scipy
)
# The run-time library of Clang's sanitizers and of libFuzzer.
fuzz_packages=(clang-19 libclang-rt-19-dev)
# advzip packs a wheel tighter than Python does.
wheel_packages=(advancecomp)
needed_tools=(cmake ninja pkg-config python3)

# Sets `system` to the name, `known_system` to true or false, and `system_packages` and
# `system_test_packages` to those that differ between systems. Ends on what can never work.
find_system() {
  [[ $(uname -s) == Linux && $(uname -m) == x86_64 ]] ||
    stop "Tensorscope needs Linux on x86-64; this is $(uname -s) on $(uname -m)."
  local ID='' VERSION_ID='' PRETTY_NAME=''
  [[ -r /etc/os-release ]] && . /etc/os-release
  system=${PRETTY_NAME:-an unnamed Linux}
  system_packages=(g++ fonts-jetbrains-mono)
  system_test_packages=()
  case $ID-$VERSION_ID in
    debian-12 | ubuntu-24.04)
      known_system=true
      # Takes half of g++'s time; libclang-rt has its sanitizers, llvm the names of their reports' lines.
      system_test_packages=(clang-19 libclang-rt-19-dev llvm-19)
      ;;
    ubuntu-22.04)
      # Its g++ is 11; it has no JetBrains Mono, for which the program has a substitute.
      known_system=true
      system_packages=(g++-12)
      ;;
    *) known_system=false ;;
  esac
}

# Prints those of the named packages that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/ installed$//p' || true)
  local package
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  say "These packages of ${system} are missing: ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      stop "Installing them needs an administrator: apt-get install ${missing[*]}"
    say "Installing them with sudo apt-get, which may ask for your password."
    as_root=(sudo)
  else
    say "Installing them with apt-get."
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update >&2 && "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 ||
    stop "apt-get could not install them; its own words are above. Without a network this cannot go" \
      "on: connect, or install by hand: apt-get install ${missing[*]}"
}

# On a system that is not in the list nothing is installed; it is enough that the tools are there.
check_unknown_system() {
  say "${system} is not a system this is tested on (Debian 12, Ubuntu 22.04 and 24.04, also in WSL2)."
  local tool absent=()
  for tool in "${needed_tools[@]}"; do
    command -v "$tool" >/dev/null || absent+=("$tool")
  done
  ((${#absent[@]} == 0)) ||
    stop "It lacks ${absent[*]}. Install what Debian 12 calls: $*"
  say "The tools are there, so going on with them."
}

# Sets CXX and CC to the default compiler if it is new enough, else to the newest that is.
find_compiler() {
  local candidate
  for candidate in ${CXX:-} g++ g++-14 g++-13 g++-12; do
    if command -v "$candidate" >/dev/null && (($("$candidate" -dumpversion | cut -d. -f1) >= 12)); then
      CXX=$(command -v "$candidate")
      CC=${CXX/g++/gcc}
      return
    fi
  done
  stop "No C++ compiler of version 12 or newer is here: install g++-12, or name one with CXX."
}

# Sets `python` to a Python of at least 3.9 that has pip.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys, pip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
      python=$candidate
      return
    fi
  done
  stop "A Python of at least 3.9 with pip is needed for the downloads; python3 here is" \
    "$(python3 --version 2>&1), pip: $(python3 -m pip --version 2>&1 | head -n 1)."
}
