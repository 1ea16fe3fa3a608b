def load():
    try:
        {}["k"]
    except KeyError as e:
        raise ValueError("could not load") from e


load()
