import cmath
import numbers

z = 3 + 4j
print(abs(z), z.conjugate(), z**2, complex("1-2j"), cmath.phase(z), cmath.sqrt(-1), cmath.polar(1j), isinstance(z, numbers.Complex))
print(cmath.exp(1j * cmath.pi), -z, z == 3 + 4j, hash(1.0) == hash(1), numbers.Integral.__subclasshook__(int))
z < 1
