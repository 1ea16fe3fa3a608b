#!/usr/bin/env bash
# build.sh TREE OUTPUT.mcpb: packs an installed tree (the one with bin/python-runner-mcp) into an MCP bundle, which a client
# such as Claude Desktop installs by a double click.
#
#     meson setup build-bundle -Dprefer_static=true -Dbuildtype=release
#     meson install -C build-bundle --destdir "$PWD/build-bundle/tree" --strip
#     packaging/mcpb/build.sh build-bundle/tree/usr/local python-runner-mcp.mcpb
#
# Needs the program mcpb (npm: @anthropic-ai/mcpb); MCPB names another one than that on PATH.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

die() {
    printf 'build.sh: %s\n' "$*" >&2
    exit 1
}

[[ $# -eq 2 ]] || die "usage: build.sh TREE OUTPUT.mcpb"
tree=$1 output=$2
mcpb=${MCPB:-mcpb}
server=$tree/bin/python-runner-mcp
[[ -x $server ]] || die "$tree has no bin/python-runner-mcp: name the prefix of an installed tree (meson install --destdir)"
command -v "$mcpb" >/dev/null || die "$mcpb was not found: npm install -g @anthropic-ai/mcpb, or let MCPB name it"

# Whoever installs the bundle has libc; what else the program needs must be in it.
foreign=$(ldd "$server" | grep -oE 'lib(uv|jansson|seccomp)[^ ]*' | head -n 3 | tr '\n' ' ') || true
[[ -z $foreign ]] || die "$server needs $foreign: build it with -Dprefer_static=true"

version=$("$server" --version) || die "$server --version failed"
bundle=$(mktemp -d)
trap 'rm -rf "$bundle"' EXIT
mkdir "$bundle/server"
(cd "$tree" &&
    find lib* -type d -name python-runner-mcp -prune -exec cp -R --parents -t "$bundle/server" bin/python-runner-mcp {} +)
cp "$here/../../LICENSE" "$bundle/"
sed "s/@VERSION@/${version##* }/" "$here/manifest.json" >"$bundle/manifest.json"
"$bundle/server/bin/python-runner-mcp" run -c 'pass' ||
    die "the program does not run from the bundle; $server doctor tells more"
"$mcpb" validate "$bundle/manifest.json"
"$mcpb" pack "$bundle" "$output"
