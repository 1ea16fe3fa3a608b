import sys

sys.stdout.buffer.write(b"raw \xff\xfe bytes \xc3\xa9 \xe2\x82\n")
sys.stdout.flush()
