import sys
sys.stdout.write("no newline")
sys.stderr.write("nor here")
