"""Serves in a network namespace of its own and prints, as JSON, which addresses the server wrote to of its own accord.

`python -m tests.server.outgoing FOLDER` is started by `unshare --net --mount`: private and public addresses are those of the
namespace's own loopback device, so that nothing ever leaves.
"""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from tests.server.conftest import dev_server, papers

PUBLIC, PORT = "93.184.216.34", 9_900
PRIVATE = ("10.1.2.3", "172.16.4.5", "192.168.6.7", "100.64.8.9", "fd00::a")
HIDDEN = ("fec0::a", "2002:a01:203::1", "2001:0:a01:203::1", "::ffff:0:a01:203", "2606:2800:220:1:0:5efe:a01:203")
"""Site-local, and 10.1.2.3 in addresses of 6to4, Teredo, SIIT and ISATAP."""
METADATA = "168.63.129.16"
"""Of a cloud, in public space."""
EVERY = (*PRIVATE, *HIDDEN, METADATA)
NAMES = {"inner.example": "fec0::a", "metadata.example": METADATA}
TOKEN = "ada-0123456789abcdef"
QUESTION = "Who owned the schooner Lalla Rookh?"


class _Listener(BaseHTTPRequestHandler):
    """Notes the address of each request; `/elsewhere/<address>` sends the request on."""

    received: list[str] = []  # noqa: RUF012 - shared by all requests of this process

    def do_POST(self) -> None:
        self.received.append(f"{self.connection.getsockname()[0]} {self.path}")
        self.rfile.read(int(self.headers.get("content-length") or 0))
        target = self.path.removeprefix("/elsewhere/")
        self.send_response(303 if target != self.path else 200)
        if target != self.path:
            self.send_header("location", f"http://{target}:{PORT}/hook")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = 10  # AF_INET6


@contextmanager
def listening() -> Iterator[None]:
    """Listen at every address of the namespace."""
    servers = [
        (_Server6 if ":" in host else _Server)((host, PORT), _Listener) for host in ("127.0.0.1", PUBLIC, *EVERY)
    ]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield
    for server in servers:
        server.shutdown()


async def answers(address: str) -> dict[str, Any]:
    """Ask for every request that a client can have the server make; return what came of each."""
    found: dict[str, Any] = {}

    async def told(name: str, **asked: Any) -> None:
        _Listener.received.clear()
        headers = {"Authorization": f"Bearer {TOKEN}", **asked.pop("headers", {})}
        body = {"assistant_id": "deep_research", "input": {"question": QUESTION}, **asked}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=120) as web:
            answer = await web.post("/runs/stream", json=body)
        if answer.status_code == 200:
            await asyncio.sleep(2)  # a webhook is called after its run's end
        found[name] = {
            "status": answer.status_code,
            "received": list(_Listener.received),
            "events": answer.text.count("event: "),
        }

    for host in (*EVERY, *NAMES):
        await told(host, webhook=f"http://{f'[{host}]' if ':' in host else host}:{PORT}/hook")
    await told("public", webhook=f"http://{PUBLIC}:{PORT}/hook")
    await told("redirected", webhook=f"http://{PUBLIC}:{PORT}/elsewhere/{PRIVATE[0]}")
    for name in NAMES:
        await told(f"redirected to {name}", webhook=f"http://{PUBLIC}:{PORT}/elsewhere/{name}")
    await told("feedback", feedback_keys=["helpful"])
    replicas = json.dumps([{"api_url": f"http://{PRIVATE[0]}:{PORT}", "project_name": "mine"}])
    trace = {
        "langsmith-trace": "20261125T000000000000Z0190a0a0-0000-7000-8000-000000000000",
        "baggage": f"langsmith-project=mine,langsmith-replicas={replicas}",
    }
    project = {"configurable": {"__langsmith_project__": "mine"}}
    await told("trace", headers=trace, config=project, langsmith_tracer={"project_name": "mine"})
    return found


def main(folder: Path) -> None:
    """Set up the namespace's addresses, serve, and print the answers."""
    devices = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(devices) == 1, "this is not a namespace of its own"
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    (folder / "hosts").write_text("".join(f"{address} {name}\n" for name, address in NAMES.items()))
    subprocess.run(["mount", "--bind", folder / "hosts", "/etc/hosts"], check=True)
    for host in (PUBLIC, *EVERY):
        at_once = ["nodad"] if ":" in host else []  # without it the address cannot be bound for a moment
        size = 128 if ":" in host else 32
        subprocess.run(["ip", "addr", "add", f"{host}/{size}", "dev", "lo", *at_once], check=True)
    settings = {
        "LEADLINE_DOCS": str(papers(folder)),
        "LEADLINE_TOKENS": f"ada:{TOKEN}",
        "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{PORT}",
        "LANGSMITH_API_KEY": "of-the-operator",
    }
    with listening(), dev_server(folder, **settings) as (address, _):
        sys.stdout.write(json.dumps(asyncio.run(answers(address))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
