import math
import sys

print(0.1 + 0.2, 1e308 * 10, -0.0, float("nan"), 1 / 3, 1e22, 1e16, 123456789.123, 5e-324, float.fromhex("0x1.8p1"))
print((0.1).as_integer_ratio(), (2.5).hex(), math.fsum([0.1] * 10), math.isclose(0.1 + 0.2, 0.3), math.gcd(12, 18))
print(math.factorial(20), math.comb(10, 3), math.isqrt(99), math.dist([0, 0], [3, 4]), math.nextafter(1, 2), math.ulp(1.0))
print(sys.float_info.max, sys.float_repr_style, math.sin(1e22), math.erf(0.5), math.lgamma(10.5), math.frexp(10), math.tau)
math.sqrt(-1)
