# needs: 3.12
import sys
import threading
m = sys.monitoring
m.use_tool_id(2, 'test')
m.register_callback(2, m.events.PY_START, lambda code, offset: print(code.co_name))
m.set_events(2, m.events.PY_START)
