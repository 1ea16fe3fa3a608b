import os
import sys

open("kept.txt", "w").write("kept\n")
os.execvpe("sh", ["sh", "-c", "cat kept.txt; echo $MARK"], {**os.environ, "MARK": "marked"})
