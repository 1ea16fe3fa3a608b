import sys
sys.stdout.reconfigure(line_buffering=False)
print("held back")
