#!/usr/bin/env bash
# run_fuzzers.sh EXECUTIONS [READER...]: builds the fuzzers (libFuzzer, AddressSanitizer,
# UndefinedBehaviorSanitizer) and lets each of them read so many damaged files, one after the other,
# on one core with low priority. Prints a row of a table for each: the reader, executions, seconds.
# Ends with the first file that a reader does not survive; it lies in build/fuzz/found.
# READER: feed_snapshot, read_trace, ...: see CMakeLists.txt; without any: all.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/third_party/say.sh"
(($# > 0)) && [[ $1 =~ ^[1-9][0-9]*$ ]] || stop "run_fuzzers.sh EXECUTIONS [READER...]"
executions=$1
shift
"$root/third_party/setup.sh" --fuzz
. "$root/third_party/build.sh"
build fuzz fuzzers

folder=$root/build/fuzz
mkdir -p "$folder/found"
readers=("$@")
if (($# == 0)); then
  for program in "$folder"/*_fuzzer; do readers+=("$(basename "$program" _fuzzer)"); done
fi
"$folder/fuzz_corpus" "$folder/seeds"
printf '| reader | executions | seconds |\n| --- | --- | --- |\n'
for reader in "${readers[@]}"; do
  corpus=$folder/corpus/$reader
  mkdir -p "$corpus"
  # Files up to 4 KiB: a reader's states do not need more, and ten thousand of them fit a second.
  nice -n 19 "$folder/${reader}_fuzzer" -runs="$executions" -max_len=4096 -timeout=30 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$folder/found/$reader-" "$corpus" "$folder/seeds/${reader#*_}" \
    >"$folder/$reader.log" 2>&1 || stop "$reader did not survive a file: $folder/found, $folder/$reader.log"
  printf '| %s | %s | %s |\n' "$reader" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$reader.log")" \
    "$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$folder/$reader.log")"
done
