# needs: 3.10
import sys

print(sys.orig_argv[1:], sys.orig_argv[0].rpartition("/")[2][:6])
