import linecache

linecache.getline = None
linecache.getlines = None
1 / 0
