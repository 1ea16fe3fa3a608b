import subprocess
import warnings

warnings.simplefilter("always")
warnings.showwarning = lambda m, c, *a: print(c.__name__, str(m).split()[0])
p = subprocess.Popen(["true"])
p.wait()
p = subprocess.Popen(["sleep", "0.2"])
del p
