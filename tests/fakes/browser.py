"""The system's Chromium, driven over its own protocol: what a page logs, asks for, pops up, and where its boxes are."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from services.sandbox.workfolder import hold

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)"
)
STARTING = 60
"""Seconds that Chromium may take to be ready on a busy machine."""
PATIENCE = 40
"""Seconds that something in a page may take on a busy machine."""


@dataclass(slots=True)
class Page:
    """One tab, and what happened in it since it was last opened."""

    connection: ClientConnection
    session: str
    numbers: "itertools.count[int]"
    logged: list[str] = field(default_factory=list)
    """Errors and warnings of the console, those of the page's policy included."""
    asked: list[str] = field(default_factory=list)
    """Addresses beside the page itself."""
    answers: list[tuple[int, str]] = field(default_factory=list)
    """HTTP status and address of each answer, since the tab was made."""
    reported: list[str] = field(default_factory=list)
    """What scripts of the page reported through a binding, since the tab was made."""
    dialogs: list[str] = field(default_factory=list)
    tabs: "dict[str, Page]" = field(default_factory=dict)
    """All tabs of this browser by their sessions: what comes in for one of them is noted there."""
    target: str = ""
    _loaded: bool = False
    _address: str = ""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params, "sessionId": self.session}
        self.connection.send(json.dumps(message))
        while True:
            answer = json.loads(self.connection.recv(timeout=STARTING))
            if answer.get("id") == number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self._received(answer)

    def open(self, place: Path | str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Load a file or an address and wait until it and what it asks for have come."""
        for one in (self.logged, self.asked, self.dialogs):
            one.clear()
        self._address = place if isinstance(place, str) else place.absolute().as_uri()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}  # drawing each frame takes half of a processor
        self.call("Emulation.setEmulatedMedia", features=[scheme, still])
        self._load("Page.navigate", url=self._address)
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def reload(self) -> None:
        self._load("Page.reload")

    def _load(self, method: str, **params: Any) -> None:
        self._loaded = False
        self.call(method, **params)
        while not self._loaded:
            self._received(json.loads(self.connection.recv(timeout=STARTING)))

    def another(self) -> "Page":
        return _new_tab(self)

    def close(self, tab: "Page") -> None:
        del self.tabs[tab.session]
        self.call("Target.closeTarget", targetId=tab.target)

    def wait(self, condition: str, what: str = "", *, seconds: float = PATIENCE) -> Any:
        """Wait until a script comes to something true, and return that."""
        end, pause = time.monotonic() + seconds, 0.02
        while time.monotonic() < end:
            try:
                if found := self.evaluate(f"Promise.resolve({condition}).then(v => v instanceof Node || v)"):
                    return found
            except AssertionError as problem:  # the page was just being left
                if not any(word in str(problem) for word in ("context", "navigated")):
                    raise
            time.sleep(pause)
            pause = min(1.2 * pause, 0.2)
        seen = self.evaluate("document.body.innerText.slice(0, 1500)")
        raise AssertionError(
            f"{what or condition} did not come about; the page says: {seen} and logged {self.logged[:5]}"
        )

    def at(self, target: str) -> tuple[float, float]:
        """Scroll to the element that a script gives, and return where its middle is."""
        box = f"(e => {{ e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const b = e.getClientRects()[0]; return [b.x + b.width / 2, b.y + b.height / 2]; }})({target})"
        x, y = self.evaluate(box)
        return x, y

    def click(self, target: str) -> None:
        x, y = self.at(target)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def hover(self, target: str) -> None:
        x, y = self.at(target)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def write(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def evaluate(self, script: str) -> Any:
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    def screenshot(self, place: Path) -> None:
        """Save what is seen as PNG."""
        place.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def press(self, key: str, code: int, *, shift: bool = False, text: str = "") -> None:
        """Press a key; `text` is what it writes or does, a carriage return for Enter."""
        held = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **held, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **held)

    def _received(self, event: dict[str, Any]) -> None:
        self.tabs.get(event.get("sessionId", ""), self)._note(event)

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Page.javascriptDialogOpening":
                self.dialogs.append(params["message"])
                answer = {"id": next(self.numbers), "method": "Page.handleJavaScriptDialog", "sessionId": self.session}
                self.connection.send(json.dumps({**answer, "params": {"accept": True}}))
            case "Network.requestWillBeSent":
                if params["request"]["url"].partition("#")[0] != self._address:
                    self.asked.append(params["request"]["url"])
            case "Network.responseReceived":
                self.answers.append((int(params["response"]["status"]), params["response"]["url"]))
            case "Runtime.bindingCalled":
                self.reported.append(params["payload"])
            case "Log.entryAdded":
                self.logged.append(f"{params['entry']['level']}: {params['entry']['text']}")
            case "Runtime.exceptionThrown":
                self.logged.append(json.dumps(params["exceptionDetails"])[:500])
            case "Runtime.consoleAPICalled":
                self.logged.append(f"{params['type']}: {json.dumps(params['args'])[:500]}")


@contextmanager
def empty_profile() -> Iterator[Path]:
    """Give a browser a folder; what a killed test process leaves is removed by the next one."""
    held = hold()
    try:
        yield held.folder
    finally:
        held.release()


@contextmanager
def chromium() -> Iterator[Page]:
    """Start Chromium with an empty profile and give its first tab."""
    assert CHROMIUM
    with empty_profile() as profile:
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio"]
        command += ["--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        # it ends when its descriptor 3 is closed, and so with this process, even if that is killed
        command = ["sh", "-c", 'exec "$@" 3<&0 4>&1', "sh", *command, "--remote-debugging-pipe"]
        environment = {**os.environ, "HOME": str(profile), "TMPDIR": str(profile)}
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        try:
            with connect(_address(profile, process), max_size=None, ping_interval=None, proxy=None) as connection:
                yield _first_page(connection)
        finally:
            process.terminate()
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()


def _address(profile: Path, process: "subprocess.Popen[bytes]") -> str:
    """Wait until Chromium says where it listens."""
    port = profile / "DevToolsActivePort"
    end = time.monotonic() + STARTING
    while time.monotonic() < end and process.poll() is None:
        lines = port.read_text().splitlines() if port.exists() else []
        if len(lines) > 1:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.05)
    raise AssertionError("Chromium did not start")


def _first_page(connection: ClientConnection) -> Page:
    numbers = itertools.count(1)
    return _new_tab(Page(connection, "", numbers))


def _new_tab(of: Page) -> Page:
    tab = Page(of.connection, "", of.numbers, tabs=of.tabs)

    def ask(method: str, **params: Any) -> dict[str, Any]:
        number = next(of.numbers)
        of.connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(of.connection.recv(timeout=STARTING))).get("id") != number:
            of._received(answer)
        return dict(answer["result"])

    tab.target = ask("Target.createTarget", url="about:blank")["targetId"]
    tab.session = ask("Target.attachToTarget", targetId=tab.target, flatten=True)["sessionId"]
    of.tabs[tab.session] = tab
    for domain in ("Page", "Runtime", "Log", "Network"):
        tab.call(f"{domain}.enable")
    return tab
