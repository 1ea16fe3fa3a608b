# needs: 3.11
import tomllib

print(tomllib.loads('a = 1\n[t]\nb = [1, 2]\nd = 2020-01-01\n"q k" = "s"\n'))
tomllib.loads("a = ")
