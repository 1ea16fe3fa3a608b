import os
import readline
import termios

readline.parse_and_bind("tab: complete")
readline.add_history("x")
print(readline.get_current_history_length())
try:
    termios.tcgetattr(0)
except termios.error as e:
    print(e)
print(termios.TCSANOW)
os.get_terminal_size()
