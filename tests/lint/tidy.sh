#!/usr/bin/env bash
# clang-format and clang-tidy on every C file; last `N passed, N failed`.
# usage: tidy.sh BUILD    (a build directory with compile_commands.json)
# A file that was clean is not looked at again until it, a header or the configuration changes: build/tidy-cache.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
cache=build/tidy-cache
mkdir -p "$cache"
passed=0 failed=0

mapfile -t files < <(git ls-files -- 'src/*.c' 'src/*.h' 'tests/*.c' 'tests/*.h')
for f in "${files[@]}"; do
    if clang-format --dry-run -Werror "$f"; then
        passed=$((passed + 1))
    else
        echo "not ok clang-format $f"
        failed=$((failed + 1))
    fi
done

common=$(cat .clang-tidy $(git ls-files -- 'src/*.h') "$build/build.ninja" tests/lint/tidy.sh | sha256sum | cut -c1-32)
one() {
    local f=$1 key out more=()
    case $f in */test_*) more=(--checks=-clang-analyzer-*) ;; esac # tests run under sanitizers: no paths are walked
    key=$cache/$(printf '%s %s' "$common" "$(sha256sum "$f")" | sha256sum | cut -c1-40)
    if [ -e "$key" ]; then
        echo "ok clang-tidy $f (unchanged)"
    elif out=$(clang-tidy --quiet -p "$build" "${more[@]}" "$f" 2>&1); then
        : >"$key"
        echo "ok clang-tidy $f"
    else
        printf '%s\nnot ok clang-tidy %s\n' "$(grep -v ' warnings generated' <<<"$out" | head -n 30)" "$f"
    fi
}
export -f one
export build cache common
results=$(mktemp)
trap 'rm -f "$results"' EXIT
# Only what this build compiles; the platform's other half is compiled elsewhere.
for f in "${files[@]}"; do
    case $f in *.c) grep -q "/$f\"\|\.\./$f\"" "$build/compile_commands.json" && echo "$f" ;; esac
done | xargs -r -n 1 -P "$(nproc)" bash -c 'one "$1"' _ >"$results"
cat "$results"
passed=$((passed + $(grep -c '^ok ' "$results")))
failed=$((failed + $(grep -c '^not ok ' "$results")))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
