def nest(n):
    try:
        if n:
            nest(n - 1)
        else:
            raise ValueError("deepest")
    except ValueError as e:
        raise ValueError(f"level {n}") from e


nest(5)
