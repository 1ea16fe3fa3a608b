import sys
import threading

print(list(sys._current_frames()) == [threading.get_ident()], sys._current_frames()[threading.get_ident()] is sys._getframe())
if hasattr(sys, "_current_exceptions"):
    print(list(sys._current_exceptions().values()))
