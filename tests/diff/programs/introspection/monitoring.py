# needs: 3.12
import sys

mon = sys.monitoring
mon.use_tool_id(1, "test")
lines = []
mon.register_callback(1, mon.events.LINE, lambda code, line: lines.append(line) if code.co_filename == __file__ else None)
mon.set_events(1, mon.events.LINE)
x = 1
y = x + 1
mon.set_events(1, 0)
print(lines, mon.get_tool(1), [mon.get_tool(i) for i in range(6)])
