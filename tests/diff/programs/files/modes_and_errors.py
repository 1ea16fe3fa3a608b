for mode in ("rw", "x", "z", "", "rt+b"):
    try:
        open("main.py", mode)
    except Exception as e:
        print(mode, type(e).__name__, e)
open("missing/dir/file", "w")
