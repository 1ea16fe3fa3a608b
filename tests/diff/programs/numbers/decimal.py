from decimal import ROUND_HALF_UP, Decimal, getcontext, localcontext

print(Decimal("0.1") + Decimal("0.2"), Decimal(1) / 3, Decimal("1E+5").normalize(), Decimal("2.345").quantize(Decimal("0.01"), ROUND_HALF_UP))
with localcontext() as c:
    c.prec = 5
    print(Decimal(2).sqrt(), Decimal(1) / 7)
print(getcontext().prec, Decimal("NaN").is_nan(), Decimal(10).log10(), f"{Decimal('1234.5'):,.2f}", Decimal("1.10").as_tuple())
Decimal(1) / 0
