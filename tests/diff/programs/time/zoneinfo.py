from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

b = ZoneInfo("Europe/Berlin")
d = datetime(2024, 3, 31, 1, 30, tzinfo=b)
print(d, d + timedelta(hours=1), (d.astimezone(timezone.utc) + timedelta(hours=1)).astimezone(b), d.tzname(), d.dst(), b.key)
print(datetime(2024, 10, 27, 2, 30, tzinfo=b, fold=1).utcoffset(), ZoneInfo("America/New_York").utcoffset(datetime(2024, 7, 1)))
