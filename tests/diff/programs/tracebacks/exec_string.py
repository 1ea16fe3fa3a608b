exec("def f():\n    raise ValueError('no source')\nf()")
