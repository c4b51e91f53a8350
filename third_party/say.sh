# Sourced. Everything goes to stderr: stdout belongs to the program (`./run run ... --json`).
say() { printf '%s\n' "$*" >&2; }

# Ends the script with sentences for the user.
stop() {
  local line
  for line in "$@"; do say "$line"; done
  exit 1
}
