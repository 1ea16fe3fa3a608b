import importlib

names = """abc aifc antigravity_not argparse array ast asyncore base64 bdb binascii bisect calendar cgi chunk cmd code codecs
codeop colorsys compileall concurrent.futures configparser contextlib contextvars copy crypt csv ctypes curses dataclasses datetime
dbm decimal difflib dis doctest email encodings enum ensurepip errno filecmp fileinput fnmatch fractions ftplib functools gc
getopt getpass gettext glob graphlib gzip hashlib heapq hmac html http imaplib imghdr importlib inspect io ipaddress itertools
json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing
netrc nntplib numbers opcode operator optparse os pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib
posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter
runpy sched secrets select selectors shelve shlex shutil signal smtplib sndhdr socket socketserver sqlite3 ssl stat statistics
string stringprep struct subprocess symtable sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading
time timeit token tokenize tomllib trace traceback tracemalloc tty types typing unicodedata unittest urllib.request uu uuid
venv warnings wave weakref webbrowser wsgiref.util xdrlib xml.etree.ElementTree xmlrpc.client zipapp zipfile zipimport zlib zoneinfo"""
import warnings

warnings.simplefilter("ignore")
missing = []
for n in names.split():
    try:
        importlib.import_module(n)
    except ImportError as e:
        missing.append(f"{n}: {e}")
print("\n".join(missing))
