import sys

for i in range(5):
    sys.stdout.write(f"\r{i}/4")
sys.stdout.write("\r\nCRLF end\r\n")
