"""The system's Firefox, driven over WebDriver BiDi, with the same handles as `tests.fakes.browser` gives for Chromium."""

import base64
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.fakes.browser import STARTING, Page, empty_profile

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
needs_firefox = pytest.mark.skipif(
    FIREFOX is None, reason="no Firefox is installed (Debian: apt-get install firefox-esr)"
)
PREFERENCES = {
    "intl.accept_languages": "en-US",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.run.settings.server": "data:,",
    "app.update.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.server": "data:,",
    "extensions.getAddons.cache.enabled": False,
    "network.proxy.type": 0,
}
"""What keeps it from asking the world outside."""
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c"}


@dataclass(slots=True)
class FirefoxPage(Page):
    """One tab of Firefox."""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        self.connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self.connection.recv(timeout=STARTING))).get("id") != number:
            entry = answer.get("params", {})
            if answer.get("method") == "log.entryAdded" and entry["level"] in ("error", "warn"):
                self.logged.append(f"{entry['level']}: {entry['text']}")
        if answer["type"] == "error":
            raise AssertionError(f"{method}: {answer['error']}: {answer['message']}")
        return dict(answer["result"])

    def open(self, place: Path | str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        assert not dark, "set ui.systemUsesDarkTheme for that"
        self.logged.clear()
        self._address = place if isinstance(place, str) else place.absolute().as_uri()
        self.call("browsingContext.setViewport", context=self.target, viewport={"width": width, "height": height})
        self.call("browsingContext.navigate", context=self.target, url=self._address, wait="complete")

    def reload(self) -> None:
        self.call("browsingContext.reload", context=self.target, wait="complete")

    def evaluate(self, script: str) -> Any:
        expression = f"(async () => JSON.stringify(await ({script})))()"
        result = self.call("script.evaluate", expression=expression, target={"context": self.target}, awaitPromise=True)
        if result["type"] == "exception":
            raise AssertionError(result["exceptionDetails"]["text"])
        return json.loads(result["result"].get("value", "null"))

    def click(self, target: str) -> None:
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._mouse(target, down, up)

    def hover(self, target: str) -> None:
        self._mouse(target)

    def _mouse(self, target: str, *then: dict[str, Any]) -> None:
        x, y = self.at(target)
        move = {"type": "pointerMove", "x": round(x), "y": round(y)}
        self._act({"type": "pointer", "id": "mouse", "actions": [move, *then]})

    def write(self, text: str) -> None:
        self._keys(*text)

    def press(self, key: str, code: int, *, shift: bool = False, text: str = "") -> None:
        assert not shift
        self._keys(KEYS[key])

    def _keys(self, *keys: str) -> None:
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": actions})

    def _act(self, source: dict[str, Any]) -> None:
        self.call("input.performActions", context=self.target, actions=[source])

    def screenshot(self, place: Path) -> None:
        place.write_bytes(base64.b64decode(self.call("browsingContext.captureScreenshot", context=self.target)["data"]))


@contextmanager
def firefox(**preferences: str | int | bool) -> Iterator[FirefoxPage]:
    """Start Firefox with an empty profile and give its first tab."""
    assert FIREFOX
    with empty_profile() as profile:
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in {**PREFERENCES, **preferences}.items()]
        (profile / "user.js").write_text("\n".join(lines))
        command = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
        log = profile / "log"
        with log.open("wb") as said:
            environment = {**os.environ, "HOME": str(profile), "MOZ_CRASHREPORTER_DISABLE": "1"}
            process = subprocess.Popen([*command, "about:blank"], stdout=said, stderr=said, env=environment)
        try:
            with connect(
                f"{_address(log, process)}/session", max_size=None, ping_interval=None, proxy=None
            ) as connection:
                page = FirefoxPage(connection, "", count(1))
                page.call("session.new", capabilities={})
                page.call("session.subscribe", events=["log.entryAdded"])
                page.target = page.call("browsingContext.getTree")["contexts"][0]["context"]
                yield page
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(log: Path, process: "subprocess.Popen[bytes]") -> str:
    """Wait until Firefox says where it listens."""
    end = time.monotonic() + STARTING
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text("utf-8", "replace")):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"Firefox did not start: {log.read_text('utf-8', 'replace')[-500:]}")
