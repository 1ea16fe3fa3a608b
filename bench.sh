#!/usr/bin/env bash
# bench.sh [ARGUMENT...]: builds a release, measures what the layers of the sandbox cost a call, and writes
# bench/results.md. Arguments go to bench/layers.py (--busy, --rounds N, --calls N, --python PATH). Exit 3: machine too busy.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cd "$root"

build=$root/build-bench
[[ -e $build/build.ninja ]] || meson setup "$build" --buildtype=release -Dwerror=false >/dev/null
ninja -C "$build" server >/dev/null

python=/usr/bin/python3
[[ -x $python ]] || python=$(command -v python3)
exec "$python" bench/layers.py --server "$build/python-runner-mcp" --python "$python" --write bench/results.md "$@"
