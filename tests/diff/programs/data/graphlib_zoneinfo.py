import graphlib
import zoneinfo

ts = graphlib.TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}})
order = list(ts.static_order())
print(order[0], order[-1])
try:
    list(graphlib.TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())
except graphlib.CycleError as e:
    print(e.args[0])
zoneinfo.ZoneInfo("No/Where")
