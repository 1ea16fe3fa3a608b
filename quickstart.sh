#!/usr/bin/env bash
# quickstart.sh [CODE]: installs what is missing, builds into build/, runs CODE through the real server
# as an MCP client would, and prints the configuration to paste into a client.
# May be run again at any time, from anywhere, by any user who may write to this directory.
set -euo pipefail

code=${1-'print(sum(range(10)))'}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
build=$root/build
server=$build/python-runner-mcp

# Debian's names; what is really needed is asked for by missing(), so other systems can do with theirs.
packages=(meson ninja-build gcc libc6-dev pkg-config libuv1-dev libjansson-dev libseccomp-dev python3 python3-dev)

say() { printf '%s\n' "$*" >&2; }
die() {
    say "quickstart.sh: $*"
    exit 1
}

# Prints the names of what is not there.
missing() {
    local tool library
    for tool in meson ninja python3; do
        command -v "$tool" >/dev/null || printf '%s ' "$tool"
    done
    if ! command -v cc >/dev/null; then
        printf 'C-compiler '
    elif ! printf '#include <stdio.h>\n' | cc -E - >/dev/null 2>&1; then
        printf 'C-headers '
    fi
    if ! command -v pkg-config >/dev/null; then
        printf 'pkg-config '
        return
    fi
    for library in libuv jansson libseccomp python3; do
        pkg-config --exists "$library" || printf '%s-headers ' "$library"
    done
}

install_missing() {
    local lacking as_root=()
    lacking=$(missing)
    [[ -n $lacking ]] || return 0
    say "Missing: $lacking"
    command -v apt-get >/dev/null ||
        die "there is no apt-get here; install what is missing (Debian calls the packages: ${packages[*]}), then try again"
    if [[ $EUID -ne 0 ]]; then
        command -v sudo >/dev/null ||
            die "installing needs root, and there is no sudo; as root: apt-get install ${packages[*]}"
        as_root=(sudo)
    fi
    say "Installing: ${packages[*]}"
    "${as_root[@]}" apt-get update -q >&2 || die "apt-get update failed; is the network there?"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}" >&2 ||
        die "apt-get install failed; the lines above say why"
    lacking=$(missing)
    [[ -z $lacking ]] || die "still missing after the installation: $lacking"
}

# A python3 on PATH may be anything: another Python, a shim with no version behind it, a leftover.
check_python() {
    [[ $(python3 -c 'import json, subprocess, sys; print("Python", sys.version_info[0])') == "Python 3" ]] ||
        die "$(command -v python3), which is python3 on PATH, does not work; put one that does before it on PATH, then try again"
}

# The source directory that an existing build directory was made for.
configured_source() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["directories"]["source"])' \
        "$build/meson-info/meson-info.json" 2>/dev/null || true
}

# An existing build directory keeps its options. One that was made elsewhere (a moved or copied
# checkout) has the old paths in it and is made anew.
build_server() {
    if [[ -e $build && ! -w $build ]]; then
        die "$build belongs to somebody else; remove it, then try again"
    fi
    if [[ -e $build/build.ninja && $(configured_source) != "$root" ]]; then
        say "Making $build anew: it was made for another place"
        rm -rf -- "$build"
    fi
    if [[ ! -e $build/build.ninja ]]; then
        meson setup "$build" "$root" >&2 || die "meson setup failed; the lines above say why"
    fi
    ninja -C "$build" server >&2 ||
        die "the build failed; the lines above say why"
    [[ -x $server ]] || die "the build made no $server"
}

# A client in small: initialize, initialized, tools/call; then the end of the input.
call_server() {
    python3 - "$server" "$code" <<'CLIENT'
import json
import subprocess
import sys

server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          encoding="utf-8", errors="surrogateescape")


def send(**message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def answer(wanted):
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") != wanted:
            continue
        if "error" in message:
            sys.exit(f"quickstart.sh: the server answered with an error: {message['error']['message']}")
        return message["result"]
    sys.exit(f"quickstart.sh: the server ended without an answer, exit status {server.wait()}")


code = sys.argv[2].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
try:
    send(id=1, method="initialize", params={
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "quickstart", "version": "1"}})
    answer(1)
    send(method="notifications/initialized")
    send(id=2, method="tools/call", params={"name": "run_python", "arguments": {"code": code}})
    result = answer(2)
except BrokenPipeError:
    sys.exit(f"quickstart.sh: the server ended early, exit status {server.wait()}")
server.stdin.close()
for block in result["content"]:
    if block["type"] == "text":
        print(block["text"])
sys.stdout.flush()
status = server.wait(timeout=10)
if status != 0:
    sys.exit(f"quickstart.sh: the server ended with status {status}")
if result.get("isError"):
    sys.exit("quickstart.sh: the server could not run the program; build/python-runner-mcp doctor tells more")
CLIENT
}

install_missing
check_python
build_server
say
say "What an MCP client gets back for this call of the tool run_python:"
say
call_server || exit 1
say
say "To use it in Claude Desktop ($server config --help names other clients):"
say
"$server" config claude-desktop
