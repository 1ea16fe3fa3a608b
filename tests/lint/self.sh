#!/usr/bin/env bash
# The project speaks of itself alone: no path of one machine, no private registry, no word on how it was made.
# Prints the lines that do not, last `N passed, N failed`. The patterns are written in pieces, so that this file
# does not find itself.
set -u
cd "$(dirname "$0")/../.." || exit 1

patterns=(
    "path of one machine"      "(^|[^A-Za-z0-9_.~-])/(wo""rk|ro""ot|fa""rm)/"
    "folder beside the project" "sha""red/(design|mcp|anchors|tools|cases|hooks)|\\.lib""rary"
    "address of a registry"     "registry\\.np""mjs|files\\.python""hosted|deb\\.deb""ian\\.org|pypi\\.o""rg/simple|proxy\\.gol""ang"
    "resolved address in a lock file" "\"reso""lved\": *\"http"
    "who wrote it"              "Co-Auth""ored-By|Generated w""ith|[Cc]hat""GPT|\\bL""LM-written|AI-gen""erated|developers?.? sess""ion|\\bC""EO\\b"
)
# Words that are right somewhere: file and pattern of lines to leave out.
allowed='^$'

passed=0 failed=0
check() {
    local name=$1 pattern=$2 found
    found=$(git grep -nIE -e "$pattern" -- . 2>/dev/null | grep -vE "$allowed" | head -n 20 | cut -c1-200)
    if [ -n "$found" ]; then
        printf '%s\nnot ok %s\n' "$found" "$name"
        failed=$((failed + 1))
    else
        echo "ok $name"
        passed=$((passed + 1))
    fi
}
for ((n = 0; n < ${#patterns[@]}; n += 2)); do
    check "${patterns[n]}" "${patterns[n + 1]}"
done

# Each pattern finds what it is meant for.
samples=("x /ro""ot/x" "see sha""red/design.md" "https://registry.np""mjs.org/x" "\"reso""lved\": \"https://x" "Generated w""ith")
for ((n = 0; n < ${#samples[@]}; n++)); do
    if printf '%s\n' "${samples[n]}" | grep -qE -e "${patterns[2 * n + 1]}"; then
        passed=$((passed + 1))
    else
        echo "not ok self-test: ${patterns[2 * n]}"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
