import builtins
import io

builtins.open = io.open = lambda *a, **k: (_ for _ in ()).throw(OSError("broken open"))
1 / 0
