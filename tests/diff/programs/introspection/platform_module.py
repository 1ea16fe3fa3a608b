import platform

print(platform.python_implementation(), platform.python_version(), platform.system(), platform.machine(), platform.architecture()[0], platform.python_compiler())
print(platform.python_build(), platform.libc_ver()[0], platform.release() != "", platform.node() == __import__("socket").gethostname())
