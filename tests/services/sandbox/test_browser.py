"""The browser that prints: what a page, and what a browser that a page took over, can reach from its jail."""

import io
import json
import socket
import sys
from pathlib import Path

import psutil
import pytest

from services.sandbox import browser as module
from services.sandbox.browser import print_page
from tests.fakes.browser import CHROMIUM, needs_chromium
from tests.fakes.site import site

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail needs Linux")

PYTHON = Path(sys.executable).resolve()
TAKEN_OVER = """#!{python} -IS
import json, os, signal, socket, ctypes
outside, listening = {outside!r}, {listening!r}
attempts = {attempts}
found = {{}}
for name, code in attempts.items():
    try:
        exec(code, known := {{**globals(), "found_it": "nothing"}})
        found[name] = str(known["found_it"])
    except OSError as error:
        found[name] = f"stopped: {{error}}"
        del error, known
open("report.pdf", "w").write(json.dumps(found))
"""
"""A browser whose page took it over."""
STOPPED = {
    "reading a file outside": "found_it = open(outside).read()",
    "reading the password file": "found_it = open('/etc/passwd').read()",
    "reading the settings": f"found_it = open({str(Path(__file__).parents[3] / '.env.example')!r}).read()",
    "reading what the application knows": "found_it = open(f'/proc/{os.getppid()}/environ').read()",
    "listing its own home": "found_it = os.listdir(os.path.expanduser('~root'))",
    "writing a file outside": "open(outside, 'a').write('x')",
    "writing a file for others to find": "open('/tmp/left-behind', 'w')",
    "removing a file": "os.remove(outside)",
    "changing a file's mode": "os.chmod(outside, 0o777)",
    "a TCP socket": "socket.socket()",
    "a UDP socket": "socket.socket(type=socket.SOCK_DGRAM)",
    "an IPv6 socket": "socket.socket(socket.AF_INET6)",
    "a raw socket": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "another program's socket": "socket.socket(socket.AF_UNIX).connect(listening)",
    "a signal to the application": "os.kill(os.getppid(), signal.SIGTERM)",
    "leaving the group that is ended": "os.setsid() or os.setpgid(0, 0)",
    "leaving it in a child": """pid = os.fork()
if not pid:
    try: os.setsid()
    except OSError: os._exit(1)
    os._exit(0)
found_it = "left it" if os.waitpid(pid, 0)[1] == 0 else "stopped: there, too"
""",
    "another program from outside": "os.execv(outside, ['secret'])",
    "a user namespace": "ctypes.CDLL(None, use_errno=True).unshare(0x10000000) and os.chmod(outside, 0)",
    "being traced": "ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) and os.chmod(outside, 0)",
    "more files than it may": "kept = [open('/dev/null') for _ in range(5000)]",
}


async def test_a_browser_that_was_taken_over_reaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PROGRAMS", (*module._PROGRAMS, str(PYTHON.parent)))
    monkeypatch.setattr(module, "_READ", (*module._READ, str(Path(sys.base_prefix) / "lib")))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    outside, hostile = tmp_path / "secret.txt", tmp_path / "browser" / "chromium"
    outside.write_text("the secret")
    hostile.parent.mkdir()
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("listening")
        listening.listen()
        address = str(tmp_path / "listening")
        text = TAKEN_OVER.format(python=PYTHON, outside=str(outside), listening=address, attempts=repr(STOPPED))
        hostile.write_text(text)
        hostile.chmod(0o755)
        pdf, said = await print_page(str(hostile), "<p>Hello", 60)
    assert pdf is not None, said
    found = json.loads(pdf)
    assert {name: answer for name, answer in found.items() if not answer.startswith("stopped: ")} == {}
    assert list(found) == list(STOPPED)
    assert outside.read_text() == "the secret"
    assert outside.stat().st_mode & 0o777 != 0o777


@needs_chromium
async def test_a_page_reaches_no_file_and_no_network(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    (tmp_path / "secret.txt").write_text("the secret of this machine")
    assert CHROMIUM
    with site() as outside:
        address = outside.url()
        page = f"""<p id=own>The page itself.<iframe src="{(tmp_path / "secret.txt").as_uri()}"></iframe>
        <iframe src="{address}frame"></iframe><img src="{address}image.png"><script src="{address}script.js"></script>
        <script>document.getElementById('own').append(' Its script ran.'); fetch('{address}fetched')</script>"""
        pdf, said = await print_page(CHROMIUM, page, 60)
    assert pdf is not None, said
    text = " ".join(" ".join(one.extract_text() for one in pypdf.PdfReader(io.BytesIO(pdf)).pages).split())
    assert "The page itself. Its script ran." in text
    assert "secret" not in text
    assert outside.asked == []


async def test_what_takes_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    slow = tmp_path / "chromium"
    slow.write_text("#!/bin/sh\nsleep 61 &\nsleep 61\n")
    slow.chmod(0o755)
    before = {process.pid for process in psutil.process_iter()}
    pdf, said = await print_page(str(slow), "<p>Hello", 0.7)
    assert pdf is None
    assert "longer than 0.7 seconds" in said
    left = [one for one in psutil.process_iter(["cmdline"]) if one.pid not in before]
    assert not [one for one in left if one.info["cmdline"] == ["sleep", "61"]]


async def test_a_link_instead_of_a_document_is_not_followed(tmp_path: Path) -> None:
    linking = tmp_path / "chromium"
    linking.write_text("#!/bin/sh\nln -s /etc/hostname report.pdf\n")
    linking.chmod(0o755)
    assert (await print_page(str(linking), "<p>Hello", 20))[0] is None
