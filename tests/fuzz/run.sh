#!/bin/sh
# Builds the fuzz targets with clang and runs each for SECONDS (default 60) on its corpus, all at the same time.
#   tests/fuzz/run.sh [SECONDS]
# BUILD_DIR (default build-fuzz in the root) takes the build and, in crashes/, the inputs that broke a target; the
# corpus in the tree is only read. Prints a line for each target; exits 1 when one of them failed.
set -eu

seconds=${1:-60}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD_DIR:-$root/build-fuzz}
targets='fuzz_line fuzz_message'

case $seconds in
'' | *[!0-9]*)
    echo "usage: tests/fuzz/run.sh [SECONDS]: '$seconds' is no whole number" >&2
    exit 2
    ;;
esac

if [ ! -f "$build/build.ninja" ]; then
    CC=${CC:-clang} meson setup -Dfuzz=true "$build" "$root" >/dev/null
fi
build=$(cd "$build" && pwd)
ninja -C "$build" fuzz-targets >/dev/null

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
trap 'kill $pids 2>/dev/null; exit 130' INT TERM
pids=
mkdir -p "$build/crashes"
for target in $targets; do
    mkdir "$new/$target"
    "$build/tests/fuzz/$target" -max_total_time="$seconds" -print_final_stats=1 -max_len=4096 -timeout=10 \
        -rss_limit_mb=1024 -dict="$here/json.dict" -artifact_prefix="$build/crashes/$target-" \
        "$new/$target" "$here/corpus/$target" >"$new/$target.log" 2>&1 &
    pids="$pids $!"
done

failed=0
set -- $pids
for target in $targets; do
    if wait "$1"; then
        count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$new/$target.log")
        echo "$target: ok, $count executions in $seconds s"
    else
        failed=1
        echo "$target: FAILED, the input is in $build/crashes"
        tail -n 60 "$new/$target.log"
    fi
    shift
done
exit "$failed"
