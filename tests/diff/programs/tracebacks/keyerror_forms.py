try:
    {}["quoted 'text'"]
except KeyError as e:
    print(e)
{}[("a", 1)]
