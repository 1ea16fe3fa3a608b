# needs: 3.11
ns = {}
exec(
    """
try:
    raise ExceptionGroup("g", [ValueError(1), TypeError(2), KeyError(3)])
except* ValueError as g:
    print("values", g.exceptions)
except* KeyError as g:
    print("keys", g.exceptions)
""",
    ns,
)
