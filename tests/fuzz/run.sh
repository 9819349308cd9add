#!/usr/bin/env bash
# Runs every reader under clang's libFuzzer with the address and undefined-behaviour sanitizers:
# tests/fuzz/run.sh SECONDS_EACH [FORMAT ...]. Needs the Debian packages clang and libclang-rt-14-dev,
# which nothing else here does. Programs, corpora and findings go to build/fuzz.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:?usage: tests/fuzz/run.sh SECONDS_EACH [FORMAT ...]}
shift
if [ $# -eq 0 ]; then
  set -- csv spc msr fio blkparse blkreplay diskmon disksim mqsim "" job
fi
out=${CAVERN_FUZZ_OUT:-$root/build/fuzz}
mkdir -p "$out"
flags=(-std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
  -I"$root/model" -I"$root")
compile() { clang++ "${@:2}" -fsanitize=fuzzer-no-link -c "$1" -o "$out/$(basename "$1").o"; }
sources=("$root"/tests/fuzz/trace_fuzz.cpp "$root"/model/core/workload/*.cpp "$root"/model/core/base/*.cpp)
for source in "${sources[@]}"; do
  compile "$source" "${flags[@]}"
done
for format in "$@"; do
  name=${format:-detected}
  program=$out/fuzz-$name
  corpus=$out/corpus-$name
  mkdir -p "$corpus"
  cp "$root"/tests/reference/traces/sample.* "$corpus"
  clang++ "${flags[@]}" -fsanitize=fuzzer -DFUZZ_FORMAT="\"$format\"" \
    "$root"/tests/fuzz/libfuzzer_main.cpp "$out"/*.o -llzma -lzstd -lz -o "$program"
done
for format in "$@"; do
  name=${format:-detected}
  (cd "$out" && "./fuzz-$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 "corpus-$name" >"$name.log" 2>&1) ||
    echo "$name: found something, see $out/$name.log"
  echo "$name: $(grep -E '^Done|stat::new_units_added' "$out/$name.log" | tr '\n' ' ')"
done
