"""What can be pressed in the page: every place of its files that makes a button, and which of them were pressed."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import leadline.server.page
from tests.fakes.browser import Page

FILES = Path(leadline.server.page.PAGE)
_MADE = re.compile(r'\bel\(\s*"(?:button|summary)"')
_WRITTEN = re.compile(r"<(?:button|input type=\"checkbox\")[^>]*\bid=\"([\w-]+)\"")
_WATCH = """
(() => {
  const made = new WeakMap();
  const create = Document.prototype.createElement;
  Document.prototype.createElement = function (...given) {
    const element = create.apply(this, given);
    if (/^(button|summary)$/i.test(given[0])) {
      const calls = new Error().stack.split("\\n").map((line) => /page\\/(\\w[\\w-]*\\.js):(\\d+):(\\d+)/.exec(line)).filter(Boolean);
      const site = calls.find(([, file]) => file !== "dom.js");
      made.set(element, site ? site.slice(1).join(":") : "unknown");
      reportPress(JSON.stringify({ made: made.get(element), html: element.outerHTML }));
    }
    return element;
  };
  addEventListener("click", (event) => {
    const pressed = event.composedPath().find((one) => one instanceof Element && one.matches("button, summary, input[type=checkbox]"));
    if (!pressed || !event.isTrusted) return;
    reportPress(JSON.stringify({ pressed: made.get(pressed) ?? pressed.id ?? "", part: pressed.dataset.act || pressed.dataset.file || "" }));
  }, true);
})();
"""
"""Reports each button that a script of the page makes, with the place that makes it, and each that is really clicked."""


@dataclass(slots=True)
class Presses:
    """What was made and what was pressed in a tab."""

    made: set[str] = field(default_factory=set)
    pressed: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    """Of places that make several buttons: which of them, by `data-act` and `data-file`."""


def watch_presses(page: Page) -> None:
    """Watch from the next page that is opened on."""
    page.call("Runtime.addBinding", name="reportPress")
    page.call("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)


def presses_of(page: Page) -> Presses:
    """Return what was made and pressed so far."""
    found = Presses()
    for event in map(json.loads, page.reported):
        if "made" in event:
            found.made.add(event["made"])
        else:
            found.pressed.add(event["pressed"])
            found.parts.add(event["part"])
    return found


def all_buttons() -> set[str]:
    """Return every place that makes a button: `file:line:column` of the scripts, and ids of the page itself."""
    places = set(_WRITTEN.findall((FILES / "index.html").read_text("utf-8")))
    for script in FILES.glob("*.js"):
        text = script.read_text("utf-8")
        for match in _MADE.finditer(text):
            line, column = text.count("\n", 0, match.start()) + 1, match.start() - text.rfind("\n", 0, match.start())
            places.add(f"{script.name}:{line}:{column}")
    return places
