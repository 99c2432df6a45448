#!/bin/sh
# Runs fuzzers one after the other. usage: fuzz.sh SECONDS FUZZER...
# Seeds are Fuzz/Seeds/NAME if it exists, otherwise Fuzz/Corpus, the sample captures and those of the existing folders
# in MORE_CAPTURES (for profiles the program's own), and every input that once failed. New failures are kept in
# Fuzz/Regressions/NAME. Commit them in a form without data from MORE_CAPTURES, which may come from real devices. New
# corpus files stay in the build folder.
set -eu

seconds=$1
shift
# A crashing fuzzer must end; Swift's backtracer would hold it.
export SWIFT_BACKTRACE=enable=no
# Recording where memory was allocated and quarantining freed memory took a third of the time.
export ASAN_OPTIONS="malloc_context_size=4:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export LSAN_OPTIONS="suppressions=Fuzz/leak-suppressions.txt:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"

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
  # Unquoted: each folder is one word.
  "${PYTHON:-python3}" Scripts/fuzz-seeds.py "$name" "$seeds" $sources
  echo "$name: $seconds s"
  # First each input that once failed, on its own, so that a regression is found at once.
  for input in "$kept"/*; do
    [ -f "$input" ] || continue
    "$fuzzer" -timeout=10 "$input" >/dev/null 2>&1 || {
      echo "$name still fails on $input"
      failed="$failed $name"
    }
  done
  # Compared values distinguish short inputs; with whole captures nearly all inputs would be kept, and managing them
  # would take more time than running them.
  case $name in
  FuzzCapture | FuzzDissect | FuzzConvert | FuzzDiff | FuzzRedact | FuzzExplain | FuzzTrace) values=0 ;;
  *) values=1 ;;
  esac
  log=$corpus.log
  # Long enough for captures of whole connections.
  if "$fuzzer" -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 -use_value_profile=$values \
    -entropic=0 -print_funcs=0 -print_final_stats=1 -artifact_prefix="$kept/" "$corpus" "$seeds" "$kept" 2>"$log"; then
    grep -E '^Done|cov:' "$log" | tail -n 2
  else
    tail -n 40 "$log"
    echo "$name failed: the input is in $kept, all output in $log"
    failed="$failed $name"
  fi
done
[ -z "$failed" ] || {
  echo "failed:$failed"
  exit 1
}
