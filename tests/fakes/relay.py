"""A loopback relay between a browser and a server, whose connections can be cut and let through again."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Relay:
    """Passes bytes on, as long as it is let."""

    address: str
    goal: tuple[str, int]
    listener: socket.socket
    open_pairs: set[tuple[socket.socket, socket.socket]] = field(default_factory=set)
    is_cut: threading.Event = field(default_factory=threading.Event)
    accepted: int = 0
    """Connections since the last cut."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cut(self) -> None:
        """Break all connections, and each that is tried from now on."""
        self.is_cut.set()
        with self._lock:
            self.accepted = 0
            for pair in self.open_pairs:
                for end in pair:
                    end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self.is_cut.clear()

    def serve(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self.is_cut.is_set():
                near.close()
                continue
            threading.Thread(target=self._pass_on, args=(near,), daemon=True).start()

    def _pass_on(self, near: socket.socket) -> None:
        with near, socket.create_connection(self.goal) as far:
            with self._lock:
                self.open_pairs.add((near, far))
            try:
                while True:
                    ready, _, _ = select.select([near, far], [], [])
                    for end in ready:
                        data = end.recv(65_536)
                        if not data:
                            return
                        (far if end is near else near).sendall(data)
            except OSError:
                return
            finally:
                with self._lock:
                    self.open_pairs.discard((near, far))


@contextmanager
def relay(address: str) -> Iterator[Relay]:
    """Relay to an address such as `http://127.0.0.1:2024` until the block ends."""
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Relay(f"http://127.0.0.1:{listener.getsockname()[1]}", (host, int(port)), listener)
        threading.Thread(target=made.serve, daemon=True).start()
        try:
            yield made
        finally:
            made.cut()
            listener.shutdown(socket.SHUT_RDWR)
