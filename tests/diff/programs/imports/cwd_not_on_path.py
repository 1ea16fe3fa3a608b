open("beside.py", "w").write("x = 1\n")
import beside
