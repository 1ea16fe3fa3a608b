import sys
sys.exit(ValueError("as a value"))
