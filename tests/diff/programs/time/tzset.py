import os
import time

os.environ["TZ"] = "America/New_York"
time.tzset()
print(time.tzname, time.timezone, time.localtime(0).tm_hour)
