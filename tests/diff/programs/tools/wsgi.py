import io
from wsgiref.handlers import SimpleHandler
from wsgiref.simple_server import demo_app
from wsgiref.util import setup_testing_defaults


def app(environ, start):
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"hello " + environ["REQUEST_METHOD"].encode()]


env = {}
setup_testing_defaults(env)
out = io.BytesIO()
SimpleHandler(io.BytesIO(), out, io.StringIO(), env).run(app)
print([line for line in out.getvalue().split(b"\r\n") if not line.startswith(b"Date")])
