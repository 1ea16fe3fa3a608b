# Run by the interpreter that is to run the programs, whatever it is: so this has only syntax that
# every Python since 2.6 reads, and it looks before it loads anything. An interpreter that can't be
# used refuses itself by name, in one sentence on stderr.
import sys


def refusal():
    version = '%d.%d.%d' % tuple(sys.version_info[:3])
    implementation = getattr(getattr(sys, 'implementation', None), 'name', 'cpython')
    if '__pypy__' in sys.builtin_module_names:
        implementation = 'pypy'
    elif sys.platform.startswith('java'):
        implementation = 'jython'
    if implementation != 'cpython':
        return 'is %s %s, not CPython' % (implementation, version)
    if sys.version_info < (3, 9):
        return 'is CPython %s, which is too old' % version
    if 't' in getattr(sys, 'abiflags', '') or not getattr(sys, '_is_gil_enabled', lambda: True)():
        return 'is CPython %s without the global lock (free-threaded)' % version
    if hasattr(sys, 'getobjects'):
        return 'is CPython %s built with Py_TRACE_REFS' % version
    return None


def load():
    # By its path, past the import system: nothing of it shows in sys.modules, sys.path or a cache.
    name = '_python_runner'
    path = __file__.rpartition('/')[0] + '/' + name + '.abi3.so'
    spec = type(sys.__spec__)(name, None, origin=path)
    module = sys.modules['_imp'].create_dynamic(spec)
    sys.modules['_imp'].exec_dynamic(module)
    return module


if refusal():
    sys.stderr.write('%s %s: a CPython from 3.9 on, with its global lock, is needed\n' % (sys.executable, refusal()))
    sys.exit(1)
load().serve()
