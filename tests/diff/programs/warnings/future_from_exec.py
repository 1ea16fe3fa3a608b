exec(compile("import warnings\nwarnings.warn('d', DeprecationWarning)", "<exec>", "exec"))
exec(compile("import warnings\nwarnings.warn('e', DeprecationWarning)", "<exec>", "exec"), {"__name__": "other"})
