#!/usr/bin/env bash
# bench.sh [layers] [ARGUMENT...]: builds a release, measures it beside others and writes bench/results.md; with `layers`, what
# the layers of the sandbox cost, into bench/layers.md. Arguments go to bench/main.py or bench/layers.py:
#   --quick (under a minute)  --busy (measure on a busy machine too)  --only WORD,...  --runs N  --json FILE  --write FILE
# With --quick or --only nothing is written but what --write names. Installs what is missing. Exit status 3: the machine is too
# busy (load over 2), nothing was measured.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cd "$root"

case ${1:-} in
-h | --help)
    sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
layers) what=layers && shift ;;
*) what=main ;;
esac

python=/usr/bin/python3
[[ -x $python ]] || python=$(command -v python3)

say() { printf '%s\n' "$*" >&2; }

# Prints the Debian packages of what is not there: those of the build, then those that rows of the table need.
missing() {
    command -v meson >/dev/null || echo meson
    command -v ninja >/dev/null || echo ninja-build
    command -v cc >/dev/null || echo gcc libc6-dev
    command -v pkg-config >/dev/null || echo pkg-config
    pkg-config --exists libuv 2>/dev/null || echo libuv1-dev
    pkg-config --exists jansson 2>/dev/null || echo libjansson-dev
    pkg-config --exists libseccomp 2>/dev/null || echo libseccomp-dev
    pkg-config --exists python3 2>/dev/null || echo python3 python3-dev
    [[ $what == main ]] || return 0
    command -v bwrap >/dev/null || echo bubblewrap
    "$python" -I -c 'import pandas' 2>/dev/null || echo python3-pandas
}

# What can't be installed is named: by the build when it needs it, otherwise by the row of the table.
install_missing() {
    local add as_root=()
    read -r -d '' -a add < <(missing && printf '\0')
    [[ ${#add[@]} -gt 0 ]] || return 0
    say "Missing: ${add[*]}"
    if ! command -v apt-get >/dev/null; then
        say "There is no apt-get here; rows that need them will say so."
        return
    fi
    if [[ $EUID -ne 0 ]]; then
        if ! command -v sudo >/dev/null; then
            say "Installing needs root, and there is no sudo; rows that need them will say so."
            return
        fi
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -q >&2 || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${add[@]}" >&2 ||
        say "apt-get install failed; the lines above say why. Rows that need these packages will say so."
}

install_missing
build=$root/build-bench
[[ -e $build/build.ninja ]] || meson setup "$build" --buildtype=release -Dwerror=false >/dev/null
ninja -C "$build" server >/dev/null

# Part of the figures is no result to keep; a --write among the arguments is for them, and goes before ours.
results=(--write bench/results.md)
[[ $what == main ]] || results=(--write bench/layers.md)
[[ " $* " != *" --quick "* && " $* " != *" --only"* ]] || results=()
exec "$python" "bench/$what.py" --server "$build/python-runner-mcp" --python "$python" "${results[@]}" "$@"
