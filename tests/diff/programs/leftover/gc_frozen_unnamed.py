# Nothing in the text names what it does.
import gc

stream = open(1, 'w', closefd=False)
stream.write('written\n')
getattr(gc, 'fre' + 'eze')()
