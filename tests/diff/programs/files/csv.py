import csv
import io
import sys

out = csv.writer(sys.stdout)
out.writerow(["a", "b,c", 'q"q', None, 1.5, "line\nbreak"])
rows = list(csv.DictReader(io.StringIO("x;y\n1;2\n3;\n"), delimiter=";"))
print(rows, csv.list_dialects(), csv.Sniffer().sniff("a;b\n1;2").delimiter)
w = csv.DictWriter(sys.stdout, ["p", "q"], quoting=csv.QUOTE_ALL, lineterminator="\n")
w.writeheader()
w.writerow({"p": 1, "q": 2, "r": 3})
