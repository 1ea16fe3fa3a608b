#!/usr/bin/env python3
"""Makes the archive that the kernel unpacks first: busybox, the disk's drivers, and boot.sh as its /init.

    initramfs.py KERNEL_DIR BUSYBOX INIT OUTPUT

Format "newc", Linux Documentation/driver-api/early-userspace/buffer-format.rst.
"""
import gzip
import pathlib
import re
import sys

DRIVERS = ["virtio_pci", "virtio_blk"]


def entry(number, name, mode, data=b""):
    name = name.encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0]
    out = b"070701" + b"".join(b"%08X" % f for f in fields) + name
    out += b"\0" * (-len(out) % 4) + data
    return out + b"\0" * (-len(out) % 4)


def in_order(names, found, done):
    """What each needs first: the field `depends` of a module's .modinfo."""
    for name in names:
        needs = re.search(rb"\0depends=([^\0]*)\0", found[name].read_bytes())[1].decode()
        in_order([n.replace("-", "_") for n in needs.split(",") if n], found, done)
        if name not in done:
            done.append(name)
    return done


def main():
    kernel, busybox, init, output = map(pathlib.Path, sys.argv[1:])
    found = {p.stem.replace("-", "_"): p for p in kernel.glob("lib/modules/*/kernel/**/*.ko")}
    parts = [(d, 0o040755, b"") for d in ("bin", "dev", "system", "drivers")]
    parts += [("bin/busybox", 0o100755, busybox.read_bytes()), ("init", 0o100755, init.read_bytes())]
    parts += [(f"drivers/{i}-{name}.ko", 0o100644, found[name].read_bytes()) for i, name in enumerate(in_order(DRIVERS, found, []))]
    parts.append(("TRAILER!!!", 0, b""))
    output.write_bytes(gzip.compress(b"".join(entry(i + 1, *p) for i, p in enumerate(parts)), 1))


main()
