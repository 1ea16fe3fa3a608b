import sys

print(sys.getswitchinterval(), sys.getrecursionlimit(), sys.gettrace(), sys.getprofile(), sys.is_finalizing(), sys.getallocatedblocks() > 0)
print(sys.byteorder, sys.maxsize, sys.hexversion, sys.api_version, sys.implementation.name, sys.version_info, sys.platform, sys.maxunicode)
print(sys.int_info, sys.hash_info.width, sys.thread_info, sys.copyright[:20], sys.get_asyncgen_hooks(), sys.get_coroutine_origin_tracking_depth())
print(sys.displayhook is sys.__displayhook__, sys.excepthook is sys.__excepthook__, sys.breakpointhook is sys.__breakpointhook__, sys.unraisablehook is sys.__unraisablehook__)
print(hasattr(sys, "last_type"), hasattr(sys, "ps1"), hasattr(sys, "gettotalrefcount"), hasattr(sys, "tracebacklimit"))
