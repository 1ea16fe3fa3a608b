import http.server
import threading
import urllib.error
import urllib.request


class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/ok":
            self.send_error(404, "Nope")
            return
        self.send_response(200)
        self.send_header("X-Mine", "yes")
        self.end_headers()
        self.wfile.write(b"body")

    def log_message(self, *a):
        pass


srv = http.server.HTTPServer(("127.0.0.1", 0), H)
threading.Thread(target=srv.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{srv.server_port}"
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(url + "/ok") as r:
    print(r.status, r.headers["X-Mine"], r.read())
try:
    opener.open(url + "/missing")
except urllib.error.HTTPError as e:
    print(e.code, e.reason)
srv.shutdown()
srv.server_close()
