#!/bin/sh
# Runs fuzzers one after the other. usage: fuzz.sh SECONDS FUZZER...
# Seeds: what Fuzz/Seeds has for the fuzzer, else Fuzz/Corpus, the sample captures and those of the folders MORE_CAPTURES that
# are there (for profiles those of the program); and every input that once failed. What fails now is kept in Fuzz/Regressions/NAME and
# should be committed, in a form that has nothing of MORE_CAPTURES: those may be of real devices. New corpus files stay in the
# build folder.
set -eu

seconds=$1
shift
# A crashing fuzzer must end; Swift's backtracer would hold on to it.
export SWIFT_BACKTRACE=enable=no
# A third of the time went into remembering where memory was got and keeping what was given back.
export ASAN_OPTIONS="malloc_context_size=4:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export LSAN_OPTIONS="suppressions=Fuzz/leaks-that-are-none.txt:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"

failed=
for fuzzer in "$@"; do
  name=$(basename "$fuzzer")
  corpus=$(dirname "$fuzzer")/corpus-$name
  seeds=$(dirname "$fuzzer")/seeds-$name
  kept=Fuzz/Regressions/$name
  mkdir -p "$corpus" "$kept"
  rm -rf "$seeds"
  case $name in
  FuzzProfile) sources=Profiles ;;
  *)
    sources="Fuzz/Corpus captures"
    for folder in ${MORE_CAPTURES:-}; do
      [ -d "$folder" ] && sources="$sources $folder"
    done
    [ -d "Fuzz/Seeds/$name" ] && sources=Fuzz/Seeds/$name
    ;;
  esac
  # Unquoted: folders, one word each.
  "${PYTHON:-python3}" Scripts/fuzz-seeds.py "$name" "$seeds" $sources
  echo "$name: $seconds s"
  # First what once failed, each input by itself: a regression is found at once.
  for input in "$kept"/*; do
    [ -f "$input" ] || continue
    "$fuzzer" -timeout=10 "$input" >/dev/null 2>&1 || {
      echo "$name fails on $input again"
      failed="$failed $name"
    }
  done
  # Values that are compared tell an input from another one where inputs are short; of whole captures nearly all would be
  # kept, and looking after them take more time than running them.
  case $name in
  FuzzCapture | FuzzDissect | FuzzConvert | FuzzDiff | FuzzRedact | FuzzExplain | FuzzTrace) values=0 ;;
  *) values=1 ;;
  esac
  log=$corpus.log
  # Long enough for the captures of whole connections.
  if "$fuzzer" -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 -use_value_profile=$values \
    -entropic=0 -print_funcs=0 -print_final_stats=1 -artifact_prefix="$kept/" "$corpus" "$seeds" "$kept" 2>"$log"; then
    grep -E '^Done|cov:' "$log" | tail -n 2
  else
    tail -n 40 "$log"
    echo "$name failed: the input is in $kept, all that was printed in $log"
    failed="$failed $name"
  fi
done
[ -z "$failed" ] || {
  echo "failed:$failed"
  exit 1
}
