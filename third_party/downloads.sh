# Sourced by setup.sh. Pinned archives from the Python package index, by pip.

platforms=()
for tag in manylinux_2_28 manylinux_2_27 manylinux_2_25 manylinux_2_18 manylinux_2_17 \
  manylinux2014 manylinux_2_12 manylinux2010; do
  platforms+=(--platform "${tag}_x86_64")
done
as_wheel=(--only-binary :all: --python-version 3.11 --implementation cp --abi cp311 --abi none
  "${platforms[@]}")
# The stand-in backend keeps pip from running the sdist's own (see its text).
as_sdist=(--no-binary :all: --no-build-isolation --ignore-requires-python)

# already_there FOLDER PIN: whether that very archive has been unpacked into FOLDER.
already_there() {
  local name version size hash
  read -r name version size hash <<<"$2"
  # An earlier set-up unpacked torch without its Python part.
  [[ $name != torch || -f $1/torch/__init__.py ]] || return
  [[ -f $1/.pins/$name && $(<"$1/.pins/$name") == "$version $hash" ]]
}

# forget_other_pins FOLDER PIN...: a FOLDER with an archive of another version starts over, so that
# no header of the old one stays behind.
forget_other_pins() {
  local folder=$1 pin name version size hash
  shift
  for pin in "$@"; do
    read -r name version size hash <<<"$pin"
    if [[ -f $folder/.pins/$name ]] && ! already_there "$folder" "$pin"; then
      rm -rf "$folder"
      return
    fi
  done
}

# explain_failed_download LOG NAME...: LOG is what pip wrote of fetching these.
explain_failed_download() {
  local log=$1 names
  shift
  names=$(printf ', %s' "$@")
  names=${names:2}
  if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    names=$(sed -n '/DO NOT MATCH THE HASHES/,$s/^.* \([A-Za-z0-9._-]*\)==[^ ]* from .*/\1/p' "$log" | head -n 1)
    stop "What the package index sent for ${names} does not have the pinned sha256, so it was not used." \
      "Try again; if it stays so, somebody between you and the index changes files."
  elif grep -qi 'No space left' "$log"; then
    stop "The disk ran full while fetching ${names}."
  fi
  stop "Could not fetch ${names}: no network, or the package index cannot be reached. pip's own words" \
    "are above. A proxy is named with HTTPS_PROXY, another index with PIP_INDEX_URL. Then run again:" \
    "what has been fetched is kept."
}

# fetch FOLDER KIND UNPACK_OPTIONS PIN...: those that are missing. KIND is wheel or sdist, UNPACK_OPTIONS a string
# of words. Each run of pip takes a second to start, so it fetches all small archives; a large one has its own,
# since what has been fetched is kept.
fetch() {
  local folder=$1 kind=$2 unpack=$3 pin name version size hash small=()
  shift 3
  for pin in "$@"; do
    read -r name version size hash <<<"$pin"
    if already_there "$folder" "$pin"; then continue; fi
    if ((size < 100)); then small+=("$pin"); else fetch_together "$folder" "$kind" "$unpack" "$pin"; fi
  done
  if ((${#small[@]} > 0)); then fetch_together "$folder" "$kind" "$unpack" "${small[@]}"; fi
}

fetch_together() {
  local folder=$1 kind=$2 unpack=$3 scratch=$deps/.fetching pin name version size hash names=()
  shift 3
  rm -rf "$scratch"
  mkdir -p "$scratch/archive" "$scratch/pins" "$folder/.pins"
  for pin in "$@"; do
    read -r name version size hash <<<"$pin"
    say "Fetching ${name} ${version} (${size} MB)"
    names+=("$name")
    printf '%s==%s --hash=sha256:%s\n' "$name" "$version" "$hash" >>"$scratch/pins.txt"
    printf '%s %s' "$version" "$hash" >"$scratch/pins/$name"
  done
  local options=("${as_wheel[@]}")
  [[ $kind == sdist ]] && options=("${as_sdist[@]}")
  # The cache would hold every archive in memory and once more on disk; TMPDIR may be in memory too.
  TMPDIR=$scratch PYTHONPATH=$here/sdist_metadata "$python" -m pip download --quiet \
    --no-input --no-cache-dir --disable-pip-version-check --retries 2 --no-deps --require-hashes \
    --log "$scratch/log" "${options[@]}" --dest "$scratch/archive" \
    --requirement "$scratch/pins.txt" >&2 || explain_failed_download "$scratch/log" "${names[@]}"
  # shellcheck disable=SC2086 # options are words
  "$python" "$here/unpack.py" "$folder" "$scratch"/archive/* $unpack ||
    stop "Could not unpack ${names[*]}; is the disk full?"
  mv "$scratch/pins"/* "$folder/.pins/"
  rm -rf "$scratch"
}
