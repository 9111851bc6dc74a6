"""A SOCKS5 proxy on loopback that leads every connection to one address, whatever it was asked for."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer

from tests.fakes.http import in_background


@contextmanager
def socks_proxy(port: int) -> Iterator[tuple[str, list[str]]]:
    """Serve until the block ends; yields the proxy's address and the hosts that it was asked for, as they come.

    Args:
        port: the port on this machine to which it leads.
    """
    asked: list[str] = []

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            methods = self.rfile.read(2)[1]
            self.rfile.read(methods)
            self.wfile.write(b"\x05\x00")
            kind = self.rfile.read(4)[3]
            host = (
                self.rfile.read(self.rfile.read(1)[0]).decode() if kind == 3 else socket.inet_ntoa(self.rfile.read(4))
            )
            self.rfile.read(2)
            asked.append(host)
            self.wfile.write(b"\x05\x00\x00\x01" + bytes(6))
            with socket.create_connection(("127.0.0.1", port)) as far:
                back = threading.Thread(target=_pump, args=(far, self.connection), daemon=True)
                back.start()
                _pump(self.connection, far)
                back.join()

    server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with in_background(server) as port_of_proxy:
        yield f"socks5://127.0.0.1:{port_of_proxy}", asked


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
