import getopt
import optparse

print(getopt.getopt(["-a", "--long=5", "rest"], "ab:", ["long="]))
p = optparse.OptionParser(usage="%prog [options]")
p.add_option("-q", action="store_true", help="quiet")
print(p.parse_args(["-q", "x"]))
p.parse_args(["--nope"])
