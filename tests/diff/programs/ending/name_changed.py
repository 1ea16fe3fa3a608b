__name__ = "other"
__file__ = "/nowhere.py"
1 / 0
