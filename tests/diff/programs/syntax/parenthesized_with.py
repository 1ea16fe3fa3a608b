# needs: 3.10
from contextlib import nullcontext

with (
    nullcontext(1) as a,
    nullcontext(2) as b,
):
    print(a, b)
