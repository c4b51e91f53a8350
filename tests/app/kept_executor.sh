#!/bin/sh
# kept_executor.sh: the compiler c++ for checks of kernels, which keeps what it makes of the executor's sources in the
# folder KEPT: they are the same in every check of a program.
set -e
case "$*" in
  *check_attention.cpp*) ;;
  *) exec c++ "$@" ;;
esac
options=
for word do
  shift
  case $word in
    */kernels/executor/*.cpp)
      object=$KEPT/$(basename "$word" .cpp).o
      # shellcheck disable=SC2086 # words
      [ -f "$object" ] || c++ $options -c "$word" -o "$object"
      word=$object
      ;;
    *) options="$options $word" ;;
  esac
  set -- "$@" "$word"
done
exec c++ "$@"
