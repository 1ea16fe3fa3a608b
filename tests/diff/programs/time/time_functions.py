import time

print(time.gmtime(0), time.strftime("%Y-%m-%d", time.gmtime(86400)), time.mktime(time.gmtime(0)), time.asctime(time.gmtime(0)))
print(time.tzname, time.timezone, time.daylight, time.localtime(0).tm_hour, time.strptime("1 Jan 2000", "%d %b %Y").tm_yday)
a, b = time.monotonic(), time.perf_counter_ns()
time.sleep(0.01)
print(time.monotonic() > a, time.perf_counter_ns() > b, time.process_time() >= 0, time.time() > 1.7e9, time.get_clock_info("monotonic").adjustable)
time.sleep(-1)
