import http.client
import socketserver
import threading


class H(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline()
        self.wfile.write(b"HTTP/1.1 200 Fine\r\nContent-Length: %d\r\n\r\n%s" % (len(line), line))


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), H) as srv:
    threading.Thread(target=srv.serve_forever).start()
    c = http.client.HTTPConnection(*srv.server_address)
    c.request("PUT", "/x?y", body=b"data")
    r = c.getresponse()
    print(r.status, r.reason, r.version, r.read())
    c.close()
    srv.shutdown()
