# needs: 3.11
import traceback

try:
    try:
        raise ExceptionGroup("outer", [ValueError(1), ExceptionGroup("inner", [KeyError("k"), TypeError("t")])])
    except ExceptionGroup as g:
        print(g.split(ValueError))
        raise RuntimeError("after the group") from g
except RuntimeError:
    print(traceback.format_exc())
