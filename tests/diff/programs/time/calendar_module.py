import calendar

print(calendar.month(2024, 2), calendar.isleap(2000), calendar.monthrange(2023, 2), calendar.day_name[0], calendar.timegm((1970, 1, 2, 0, 0, 0)))
print(calendar.TextCalendar(6).formatweek([(1, 0), (2, 1)], 3), calendar.HTMLCalendar().formatmonth(2024, 1)[:60])
calendar.month(2024, 13)
