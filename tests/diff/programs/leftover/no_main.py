import sys

stream = open(1, 'w', closefd=False)
stream.write('written\n')
del sys.modules['__main__']
