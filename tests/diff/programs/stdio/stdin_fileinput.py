# stdin: "x 1\ny 2\n"
import fileinput

for line in fileinput.input(files=["-"]):
    print(fileinput.filename(), fileinput.lineno(), line.split())
