import json

print(json.dumps({"b": [1, 2.5, None, True, "ü\u2028"], "a": {}}, sort_keys=True, indent=1))
print(json.dumps("é", ensure_ascii=False), json.loads('{"x": 1e3, "y": [NaN, -Infinity]}'), json.dumps({1: 2, None: 3}))


class E(json.JSONEncoder):
    def default(self, o):
        return sorted(o) if isinstance(o, set) else super().default(o)


print(json.dumps({3, 1}, cls=E), json.loads("[1.1]", parse_float=str))
try:
    json.dumps(object)
except TypeError as e:
    print(e)
json.loads('{"a": 1,}')
