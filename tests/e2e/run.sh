#!/usr/bin/env bash
# The end-to-end suites, or those in another folder; last `N passed, N failed`. TEST_SERVER names another server than
# build/python-runner-mcp.
# usage: run.sh [FOLDER]
set -u
cd "${1:-$(dirname "$0")}" || exit 1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
node --test --test-reporter=tap ./*.test.js >"$out" 2>&1
status=$?
cat "$out"
passed=$(sed -n 's/^# pass //p' "$out")
failed=$(sed -n 's/^# fail //p' "$out")
skipped=$(sed -n 's/^# skipped //p' "$out")
cancelled=$(sed -n 's/^# cancelled //p' "$out")
failed=$((${failed:-0} + ${cancelled:-0}))
if [ -n "${CI:-}" ]; then failed=$((failed + ${skipped:-0})); fi
if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ "${passed:-0}" = 0 ]; }; then failed=1; fi
echo "${passed:-0} passed, $failed failed"
[ "$failed" = 0 ]
