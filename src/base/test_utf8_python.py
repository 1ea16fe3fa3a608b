"""utf8_clean() gives what CPython's decoder gives, wherever the stream is cut.

usage: test_utf8_python.py UTF8_FILTER [CASES [SEED]]
"""

import random
import struct
import subprocess
import sys

NASTY = bytes.fromhex("00417f808f909fa0bfc0c1c2dfe0e1ecedeeeff0f1f3f4f5ff")
RANGES = [(0, 0x80), (0x80, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x110000)]


def text(rng, n):
    return "".join(chr(rng.randrange(*rng.choice(RANGES))) for _ in range(n)).encode()


def damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.randrange(3)] = bytes(rng.choices(NASTY, k=rng.randrange(3)))
    return bytes(data)


def make(rng):
    n = rng.choice([rng.randrange(8), rng.randrange(100), rng.randrange(250)])
    kind = rng.randrange(5)
    if kind == 0:
        return bytes(rng.getrandbits(8) for _ in range(n))
    if kind == 1:
        return bytes(rng.choices(NASTY, k=n))
    if kind == 2:
        return text(rng, n)
    if kind == 3:
        return damaged(rng, text(rng, n))
    return damaged(rng, b"a" * rng.randrange(150) + text(rng, n % 20) + b"b" * rng.randrange(150))


def cut(rng, data):
    count = rng.choice([0, 1, 2, rng.randrange(20)])
    at = [0, *sorted(rng.randrange(len(data) + 1) for _ in range(count)), len(data)]
    return [data[a:b] for a, b in zip(at, at[1:])]


def encode(pieces):
    return struct.pack("=I", len(pieces)) + b"".join(
        struct.pack("=I", len(p)) + p for p in pieces
    )


def main():
    program = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    inputs = [cut(rng, make(rng)) for _ in range(cases)]
    out = subprocess.run(
        [program], input=b"".join(map(encode, inputs)), stdout=subprocess.PIPE, check=True
    ).stdout
    at = 0
    for pieces in inputs:
        n, chars = struct.unpack_from("=II", out, at)
        got = out[at + 8 : at + 8 + n]
        at += 8 + n
        expected = b"".join(pieces).decode("utf-8", "replace")
        if got != expected.encode() or chars != len(expected):
            sys.exit(f"seed {seed}, {pieces!r}: expected {expected!r}, got {got!r}, {chars} chars")
    if at != len(out):
        sys.exit(f"{len(out) - at} bytes too many")
    print(f"{cases} cases, the same as CPython {sys.version.split()[0]}")


main()
