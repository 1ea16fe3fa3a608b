import sys

before = set(sys.modules)
import decimal
import json
import random
import socket

new = set(sys.modules) - before
print(sorted(n for n in new if n in ("decimal", "json", "random", "socket", "json.decoder", "_decimal", "hashlib")))
