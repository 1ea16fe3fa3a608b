import warnings

warnings.warn("beyond the top", stacklevel=9)
