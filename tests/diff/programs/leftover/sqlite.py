import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t (x)")
c.execute("insert into t values (1)")
print(c.execute("select * from t").fetchall())
