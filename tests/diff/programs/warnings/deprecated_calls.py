import ast
import asyncio
import datetime
import locale
import unittest

for f in (lambda: datetime.datetime.utcnow(), lambda: ast.Num(5), lambda: asyncio.get_event_loop_policy(), lambda: locale.getdefaultlocale(), lambda: unittest.makeSuite):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
