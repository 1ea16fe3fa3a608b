import os

os.write(1, b"directly\n")
os.write(2, b"also directly\n")
print("then buffered")
