import sqlite3

c = sqlite3.connect(":memory:")
c.row_factory = sqlite3.Row
c.execute("create table t (a integer primary key, b text)")
c.executemany("insert into t (b) values (?)", [("x",), ("ü",), (None,)])
print([tuple(r) for r in c.execute("select * from t order by a desc")], c.total_changes, c.execute("select b from t").fetchone()["b"])
c.create_function("double", 1, lambda x: x * 2)
print(c.execute("select double(21), typeof(1.5), upper('a')").fetchone()[0], c.in_transaction)
with c:
    c.execute("delete from t")
f = sqlite3.connect("file.db")
f.execute("create table x (y)")
f.commit()
f.close()
print(sqlite3.connect("file.db").execute("select name from sqlite_master").fetchall())
c.execute("select nonsense from nowhere")
