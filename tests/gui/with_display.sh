#!/usr/bin/env bash
# Runs a command on the display there is, else on one of its own without a screen.
set -eu
if [ -n "${DISPLAY:-}" ]; then exec "$@"; fi
command -v xvfb-run >/dev/null || { echo "no display and no xvfb-run: run third_party/setup.sh --tests"; exit 1; }
exec xvfb-run -a -s "-screen 0 1920x1080x24 -noreset" "$@"
