import codecs
import io
import locale
import sys

print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
print(locale.getpreferredencoding(), locale.getpreferredencoding(False))
print(codecs.lookup(sys.stdout.encoding).name, io.TextIOWrapper(io.BytesIO()).encoding)
print(sys.flags.utf8_mode, locale.setlocale(locale.LC_CTYPE), locale.setlocale(locale.LC_ALL))
