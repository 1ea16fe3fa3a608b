import array
import struct

a = array.array("i", [1, 2, 3])
a.extend([4])
a.byteswap()
print(a, a.itemsize, array.array("u", "xy").tounicode() if hasattr(array.array, "x") else a.typecode)
print(struct.pack("<hIq?3s", 1, 2, 3, True, b"abcd"), struct.unpack(">H", b"\1\2"), struct.calcsize("@lhb"))
print(list(struct.iter_unpack("2s", b"aabb")))
struct.pack("B", 300)
