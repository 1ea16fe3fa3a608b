import resource

u = resource.getrusage(resource.RUSAGE_SELF)
print(u.ru_utime >= 0, u.ru_maxrss > 0, resource.getpagesize(), resource.getrlimit(resource.RLIMIT_CORE)[0] <= 1)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
files = []
try:
    while True:
        files.append(open("/dev/null"))
except OSError as e:
    print(e, len(files))
