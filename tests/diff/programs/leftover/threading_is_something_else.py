import sys
import types
fake = types.SimpleNamespace(_shutdown=lambda: print('asked to shut down'))
sys.modules['threading'] = fake
