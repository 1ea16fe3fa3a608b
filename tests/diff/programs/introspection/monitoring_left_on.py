# needs: 3.12
import sys

mon = sys.monitoring
E = mon.events
mon.use_tool_id(2, "test")
name = __file__


def show(event):
    def callback(code, *args):
        if code.co_filename == name:
            sys.stderr.write(f"{event} {code.co_name} {args[0] if event == 'line' else ''}\n")

    return callback


mon.register_callback(2, E.LINE, show("line"))
mon.register_callback(2, E.PY_RETURN, show("return"))
mon.register_callback(2, E.PY_START, show("start"))
mon.set_events(2, E.LINE | E.PY_RETURN | E.PY_START)


def f():
    return 5


f()
f() + 1
