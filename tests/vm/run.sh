#!/usr/bin/env bash
# Boots a stock Debian kernel in a virtual machine and runs tests/vm/inside there, as an ordinary user and as root: for
# what the machine at hand does not give, above all a delegated cgroup v2 subtree.
#
#     run.sh [BUILD_DIR [ARGUMENT...]]    the server to test; arguments of tests/lib/suite.py, for trying single tests
#
# What is fetched and made once is kept in build/vm.
#
# Software emulation, one processor, 2 GB: no /dev/kvm is needed, nor root. The last line is `N passed, N failed`.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname -- "$(dirname -- "$here")")
built=$(cd -- "${1:-$root/build}" && pwd -P)
cache=$root/build/vm
python=${TEST_PYTHON:-/usr/bin/python3}
limit=360 # seconds; it takes about 80 of a processor of its own
mkdir -p "$cache"

fail() {
    printf 'not ok %s\n0 passed, 1 failed\n' "$*"
    exit 1
}

[[ $(uname -m) == x86_64 ]] || fail "vm: the virtual machine is an x86-64 one"
PATH=$PATH:/usr/sbin
for tool in qemu-system-x86_64 mke2fs dpkg-deb apt-get; do
    command -v $tool >/dev/null || fail "vm: no $tool here; apt-get install qemu-system-x86 e2fsprogs"
done

# The system inside: an interpreter with its standard library, what the server is linked with, what the tests import.
system=(base-files busybox-static dash libc6 libgcc-s1 python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib
    libexpat1 zlib1g libssl3 libffi8 libbz2-1.0 liblzma5 libsqlite3-0 libuuid1 libcrypt1 libreadline8 libtinfo6 libncursesw6
    media-types tzdata libuv1 libjansson4 python3-jsonschema python3-attr python3-pyrsistent)

fetch() {
    local kernel
    kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
    [[ -n $kernel ]] || return 1
    rm -rf "$cache/new" && mkdir -p "$cache/new/debs" && cd "$cache/new/debs"
    apt-get download -q "$kernel" "${system[@]}" || return 1
    cd ..
    mkdir -p root/usr/{bin,sbin,lib,lib64} root/{proc,sys,dev,run,tmp,home,test,etc} kernel
    for name in bin sbin lib lib64; do ln -s usr/$name root/$name; done
    dpkg-deb -x debs/linux-image-*.deb kernel
    rm debs/linux-image-*.deb
    for deb in debs/*.deb; do
        # as debootstrap does: a package's lib/ goes where /lib points to
        dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C root
    done
    ln -sf python3.11 root/usr/bin/python3
    printf 'root:x:0:0:root:/root:/bin/sh\ntester:x:1000:1000::/home:/bin/sh\n' >root/etc/passwd
    printf 'root:x:0:\ntester:x:1000:\n' >root/etc/group
    printf '127.0.0.1 localhost\n' >root/etc/hosts
    cp kernel/boot/vmlinuz-* vmlinuz
    "$python" "$here/initramfs.py" kernel root/bin/busybox "$here/boot.sh" initramfs
    mke2fs -q -t ext4 -O ^has_journal -m 0 -d root root.img 320M
    rm -rf root kernel debs
}

# Made anew when what makes it has changed
stamp=$(cat "${BASH_SOURCE[0]}" "$here/initramfs.py" "$here/boot.sh" | sha256sum)
if [[ $(cat "$cache/stamp" 2>/dev/null) != "$stamp" ]]; then
    (fetch) || { $([[ $EUID -eq 0 ]] || echo sudo) apt-get update -q && (fetch); } || fail "vm: the system for the virtual machine could not be made"
    mv "$cache/new/"{vmlinuz,initramfs,root.img} "$cache/"
    rm -rf "$cache/new"
    printf '%s\n' "$stamp" >"$cache/stamp"
fi

# What is tested, on a disk of its own
work=$(mktemp -d "$cache/run-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/test/build/src/template" "$work/test/tests"
cp "$built/python-runner-mcp" "$work/test/build/"
cp "$built"/src/template/main.py "$built"/src/template/*.so "$work/test/build/src/template/"
cp -r "$root"/tests/{lib,schemas} "$here/inside" "$work/test/tests/"
cp "$here/init.sh" "$work/test/"
shift || true
printf '%s ' "$@" >"$work/test/arguments"
chmod -R a+rX "$work/test"
mke2fs -q -t ext4 -O ^has_journal -m 0 -d "$work/test" "$work/test.img" 32M

start=$(date +%s)
timeout --foreground -k 5 $limit qemu-system-x86_64 -accel tcg -cpu max -m 2048 -smp 1 -nodefaults -display none -no-reboot \
    -kernel "$cache/vmlinuz" -initrd "$cache/initramfs" -append "console=ttyS0 quiet loglevel=3 panic=-1 random.trust_cpu=on" \
    -drive "file=$cache/root.img,format=raw,if=virtio,readonly=on" -drive "file=$work/test.img,format=raw,if=virtio,readonly=on" \
    -serial "file:$work/serial" </dev/null || printf 'the virtual machine was ended after %d s\n' "$limit"
tr -d '\r' <"$work/serial"
printf 'the virtual machine ran for %d s\n' $(($(date +%s) - start))
# Each suite inside ends in a count; the last line says that all of them have run.
tr -d '\r' <"$work/serial" | awk '
    /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; counts++ }
    /^suites run: / { wanted = $3 }
    END {
        if (!wanted || counts != wanted) { print "not ok vm: the tests inside did not come to their end"; failed++ }
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0
    }'
