eval("__import__('sys').exit(16)")
