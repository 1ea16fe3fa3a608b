# needs: 3.11
def part(n):
    raise ValueError(f"part {n}")


errors = []
for i in range(3):
    try:
        part(i)
    except ValueError as e:
        errors.append(e)
raise ExceptionGroup("several", errors + [ExceptionGroup("inner", [TypeError("t"), OSError(2, "gone")])])
