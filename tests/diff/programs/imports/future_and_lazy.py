from __future__ import annotations, division

import importlib.util
import sys

print(annotations.getMandatoryRelease(), division.compiler_flag)
spec = importlib.util.find_spec("colorsys")
spec.loader = importlib.util.LazyLoader(spec.loader)
m = importlib.util.module_from_spec(spec)
spec.loader.exec_module(m)
print(m.rgb_to_hsv(1, 1, 1))
