"""Conway's game of life and a few helpers."""
from itertools import product


def neighbours(cell):
    x, y = cell
    return {(x + dx, y + dy) for dx, dy in product((-1, 0, 1), repeat=2) if dx or dy}


def step(alive):
    candidates = alive.union(*map(neighbours, alive))
    return {c for c in candidates if (n := len(neighbours(c) & alive)) == 3 or n == 2 and c in alive}


def show(alive, w=8, h=6):
    return "\n".join("".join("#" if (x, y) in alive else "." for x in range(w)) for y in range(h))


world = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for generation in range(4):
    print(f"generation {generation}\n{show(world)}\n")
    world = step(world)
sorted(world)
