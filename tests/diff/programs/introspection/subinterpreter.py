try:
    import _interpreters as si
except ImportError:
    import _xxsubinterpreters as si
import warnings

warnings.simplefilter("ignore")
i = si.create()
si.run_string(i, "import sys; x = 5; print('inside', len(sys._getframe().f_code.co_name) > 0, __name__)") if hasattr(si, "run_string") else si.exec(i, "print('inside')")
si.destroy(i)
print("outside")
