import socket
import threading

srv = socket.create_server(("127.0.0.1", 0))


def serve():
    conn, _ = srv.accept()
    with conn:
        conn.sendall(conn.recv(100)[::-1])


t = threading.Thread(target=serve)
t.start()
with socket.create_connection(srv.getsockname()) as c:
    c.sendall(b"abc")
    print(c.recv(100), c.getpeername()[0])
t.join()
srv.close()
