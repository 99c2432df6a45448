#!/bin/sh
# Runs fuzzers one after the other. usage: fuzz.sh SECONDS FUZZER...
# Seeds: the sample captures, for profiles those of the program, and every input that once failed. What fails now is kept in Fuzz/Regressions/NAME and should
# be committed. New corpus files stay in the build folder.
set -eu

seconds=$1
shift
# A crashing fuzzer must end; Swift's backtracer would hold on to it.
export SWIFT_BACKTRACE=enable=no

failed=
for fuzzer in "$@"; do
  name=$(basename "$fuzzer")
  corpus=$(dirname "$fuzzer")/corpus-$name
  kept=Fuzz/Regressions/$name
  seeds=captures
  [ "$name" = FuzzProfile ] && seeds=Profiles
  mkdir -p "$corpus" "$kept"
  echo "$name: $seconds s"
  # First what once failed, each input by itself: a regression is found at once.
  for input in "$kept"/*; do
    [ -f "$input" ] || continue
    "$fuzzer" -timeout=10 "$input" >/dev/null 2>&1 || { echo "$name fails on $input again"; failed=1; }
  done
  log=$corpus.log
  if "$fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -use_value_profile=1 \
    -artifact_prefix="$kept/" "$corpus" "$seeds" "$kept" 2>"$log"; then
    grep -E '^Done|cov:' "$log" | tail -n 2
  else
    tail -n 40 "$log"
    failed=1
  fi
done
[ -z "$failed" ]
