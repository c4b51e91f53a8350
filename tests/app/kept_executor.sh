#!/bin/sh
# kept_executor.sh: the compiler c++ for checks of kernels, which keeps in the folder KEPT what it makes of a source, by
# the contents that it reads and its options: the executor is the same in every check, and several processes check.
set -e
folder=$4 # -std=... -w -I FOLDER
options=
to=
compiles=
before=
for word do
  case $before$word in
    -o?*) to=$word ;;
    -o) ;;
    -c) compiles=1 ;;
    *.cpp | *.o) ;;
    *) options="$options $word" ;;
  esac
  before=
  [ "$word" != -o ] || before=-o
done
mkdir -p "$KEPT"
for word do
  shift
  case $word in
    *.cpp)
      words=$(echo "$options" | sed "s|$folder|.|g")
      object=$KEPT/$( (c++ --version; echo "$words"; cat "$word" "$folder"/kernels/executor/*.h) | sha256sum |
        cut -d ' ' -f 1).o
      if [ ! -f "$object" ]; then
        find "$KEPT" -name '*.o*' -mtime +7 -delete
        # shellcheck disable=SC2086 # words
        c++ $options -c "$word" -o "$object.$$"
        mv "$object.$$" "$object"
      fi
      word=$object
      ;;
  esac
  set -- "$@" "$word"
done
[ -z "$compiles" ] || exec cp "$object" "$to"
exec c++ "$@"
