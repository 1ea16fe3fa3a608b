import tempfile
import warnings

warnings.simplefilter("always")
t = tempfile.TemporaryDirectory(prefix="fixed")
warnings.showwarning = lambda m, c, *a: print(c.__name__)
del t
