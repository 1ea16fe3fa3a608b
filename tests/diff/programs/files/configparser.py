import configparser
import io

c = configparser.ConfigParser()
c.read_string("[a]\nx = 1\ny = %(x)s2\n[b]\nflag = yes\nlist =\n  one\n  two\n")
print(c["a"]["y"], c.getboolean("b", "flag"), c["b"]["list"].split(), c.sections(), c.getint("a", "z", fallback=9))
out = io.StringIO()
c.write(out)
print(out.getvalue())
c.read_string("no section header")
