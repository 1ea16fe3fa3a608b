print(2**200, -7 // 2, -7 % 3, divmod(-7, 2), pow(3, -1, 7), pow(2, 100, 13), int("ff", 16), int("0b11", 0), 1_000)
print((255).to_bytes(2, "little"), (10).bit_length(), ~5, 5 ^ 3, hex(-255), oct(8), bin(5), f"{10**6:,} {255:#x} {5:08b}")
print(int(1e20), round(12345, -2), round(2.5), round(-0.5), True + True, int.__add__(1, 2))
int("12x")
