#!/usr/bin/env bash
# Runs the readers under clang's libFuzzer with the address and undefined-behaviour sanitizers:
# tests/fuzz/run.sh SECONDS_EACH [READER ...], two at a time (JOBS in the environment), a text being
# a finding from 20 s on (TIMEOUT). READER is a trace
# format, `detected`, `job` (fio job file), `workload` (TOML) or `packed`; all of them where none is
# named. Programs, corpora and findings go to build/fuzz.
# shellcheck disable=SC2086 # $common is several words
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:?usage: tests/fuzz/run.sh SECONDS_EACH [READER ...]}
shift
if [ $# -eq 0 ]; then
  mapfile -t formats < <("$root/cavern" config list --json |
    python3 -c 'import json, sys; [print(f["name"]) for f in json.load(sys.stdin)["tables"]["trace_formats"]]')
  set -- "${formats[@]}" detected packed job workload
fi
if ! command -v clang++ >/dev/null || ! compgen -G "$(clang++ -print-resource-dir)/lib/*/libclang_rt.fuzzer-*" >/dev/null; then
  printf 'error: %s:1: libFuzzer is missing; apt-get install clang libclang-rt-14-dev zstd\n' "$0" >&2
  exit 2
fi
export out=${CAVERN_FUZZ_OUT:-$root/build/fuzz} root seconds
mkdir -p "$out"

export common="-std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
  -I$root/model -I$root"
compile() { # compile SOURCE: an object, unless there is a newer one
  local object
  object=$out/$(basename "$1").o
  [ "$object" -nt "$1" ] || clang++ $common -fsanitize=fuzzer-no-link -c "$1" -o "$object"
}
export -f compile
sources=("$root"/tests/fuzz/trace_fuzz.cpp "$root"/model/{workload,core/base}/*.cpp)
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
objects=()
for source in "${sources[@]}"; do
  objects+=("$out/$(basename "$source").o")
done

for reader in "$@"; do
  corpus=$out/corpus-$reader
  mkdir -p "$corpus"
  cp "$root"/tests/reference/traces/sample.* "$corpus"
  case $reader in
  workload) cp "$root"/traces/workloads/*.toml "$corpus" ;;
  packed | detected)
    for sample in "$root"/tests/reference/traces/sample.*; do
      name=$(basename "$sample")
      gzip -nc "$sample" >"$corpus/$name.gz"
      bzip2 -c "$sample" >"$corpus/$name.bz2"
      xz -c "$sample" >"$corpus/$name.xz"
      zstd -qc "$sample" >"$corpus/$name.zst"
    done
    ;;
  esac
  what=$reader
  [ "$reader" = detected ] && what=
  clang++ $common -fsanitize=fuzzer -DFUZZ_READER="\"$what\"" \
    "$root"/tests/fuzz/libfuzzer_main.cpp "${objects[@]}" -lbz2 -llzma -lzstd -lz -lfmt -o "$out/fuzz-$reader"
done

# One reader; after a finding it goes on with the time left.
run_one() {
  local end=$((SECONDS + seconds)) findings=0
  : >"$out/$1.log"
  while [ "$SECONDS" -lt "$end" ] && [ "$findings" -lt 20 ]; do
    (cd "$out" && "./fuzz-$1" -max_total_time=$((end - SECONDS)) -max_len=4096 -timeout="${TIMEOUT:-20}" \
      -rss_limit_mb=2048 -use_value_profile=1 -dict="$root/tests/fuzz/trace.dict" -seed=1 \
      -artifact_prefix="found-$1-" -print_final_stats=1 "corpus-$1" >>"$out/$1.log" 2>&1) ||
      findings=$((findings + 1))
  done
  printf '%-10s %12s executions %s, %s findings\n' "$1" \
    "$(grep -oP 'number_of_executed_units: \K\d+' "$out/$1.log" | awk '{ n += $1 } END { print n + 0 }')" \
    "$(grep -oP ' cov: \d+ ft: \d+' "$out/$1.log" | tail -n 1)" "$findings"
  [ "$findings" -eq 0 ]
}
export -f run_one
printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -I{} bash -c 'run_one {}'
