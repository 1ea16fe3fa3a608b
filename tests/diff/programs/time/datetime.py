from datetime import date, datetime, timedelta, timezone

d = datetime(2024, 2, 29, 13, 5, 7, 89, tzinfo=timezone.utc)
print(d, d.isoformat(), d + timedelta(days=366, hours=-3), d.strftime("%a %d %b %Y %H:%M:%S %z %j %U"), d.timestamp(), repr(d))
print(datetime.strptime("03/04/21 5PM", "%d/%m/%y %I%p"), date.fromisoformat("2024-01-01").isocalendar(), timedelta(1.5) // timedelta(hours=1))
print(d.astimezone(timezone(timedelta(hours=5, minutes=30), "IST")), date.max - date.min, datetime.fromtimestamp(0, timezone.utc), date(2024, 3, 1).weekday())
date(2023, 2, 29)
