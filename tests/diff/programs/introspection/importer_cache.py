import os
import sys

print(sorted(p.replace(os.getcwd(), "CWD") for p in sys.path_importer_cache))
