import curses.ascii
import stringprep
import syslog

print(curses.ascii.isctrl("\n"), syslog.LOG_ERR, stringprep.in_table_a1("\u0221"), curses.ascii.unctrl("\x01"))
