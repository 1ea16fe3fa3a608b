import os

for f in (os.getlogin, lambda: os.ttyname(0), lambda: os.tcgetpgrp(0), lambda: os.get_terminal_size(1)):
    try:
        print(f())
    except OSError as e:
        print(type(e).__name__, e)
print(os.ctermid())
