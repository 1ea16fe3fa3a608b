import dbm.dumb
import shelve

db = dbm.dumb.open("d", "c")
db[b"k"] = b"v"
db.close()
with shelve.Shelf(dbm.dumb.open("s", "c")) as s:
    s["list"] = [1, 2]
    s["obj"] = {"a": (1,)}
with shelve.Shelf(dbm.dumb.open("s", "r")) as s:
    print(sorted(s), s["list"], s["obj"])
print(dbm.dumb.open("d", "r")[b"k"])
