import sys
sys.stdin = open('out.txt', 'w')
sys.stdin.write('kept')
import atexit
atexit.register(lambda: print(open('out.txt').read()))
