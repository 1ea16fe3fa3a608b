import os

print(os.getsid(0) == os.getpgid(0), os.getpgid(0) == os.getpgrp(), os.umask(0o022) == 0o022)
