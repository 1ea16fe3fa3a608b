import threading
import xmlrpc.client
from xmlrpc.server import SimpleXMLRPCServer

srv = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False, allow_none=True)
srv.register_function(lambda a, b: a + b, "add")
threading.Thread(target=srv.serve_forever, daemon=True).start()
p = xmlrpc.client.ServerProxy("http://127.0.0.1:%d" % srv.server_address[1])
print(p.add(2, 3), p.add("x", "y"))
try:
    p.nope()
except xmlrpc.client.Fault as e:
    print(e.faultCode, e.faultString)
print(xmlrpc.client.dumps((1, "a", [True]), "m"))
srv.shutdown()
srv.server_close()
