import os

os.execv("/bin/sh", ["sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; exit 3"])
