"""Removes hidden elements from a page before its text is extracted: instructions to models may hide there.

Style sheets of the page itself are read as far as simple rules go: one class or id hides, and what `display` hides is shown by a rule
for the same class and others (`.panel.open`). Colours that a computed background would hide, and style sheets elsewhere, are not known
here; of a rendered page the browser has taken out what they hide (`services/sandbox/tab.py`).
"""

import re
from dataclasses import dataclass, field

from lxml.html import HtmlElement

_DROPPED = frozenset(
    "script style template noscript object embed iframe svg canvas audio video datalist select".split()
)
_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden|"
    r"opacity\s*:\s*(?:0?\.0+|0+|0%)\s*(?:!|;|$)|font-size\s*:\s*(?:(?:0++(?:\.0++)?|\.0++)(?:[a-z]+|%)?|0*[01](?:\.\d+)?p[xt]|0*\.0\d*r?em)\s*(?:!|;|$)|"
    r"font\s*:[^;]*\b0(?:px|pt|em|rem)?\s*(?:/|\s)|color\s*:\s*transparent|"
    r"text-indent\s*:\s*-\d{3,}|(?:left|top|right|bottom|margin-left|margin-top)\s*:\s*-\d{4,}|"
    r"clip(?:-path)?\s*:\s*(?:rect\(\s*[01](?:px)?[\s,]+[01](?:px)?|inset\(\s*(?:50|100)%|circle\(\s*0)|"
    r"transform\s*:\s*scale\(\s*0\s*\)|(?:max-)?(?:height|width)\s*:\s*0(?:px|em|%)?\s*(?:!|;|$))",
    re.IGNORECASE,
)
_COLOUR = re.compile(r"(?:^|;)\s*(color|background(?:-color)?)\s*:\s*([^;!]+)", re.IGNORECASE)
_RULE = re.compile(r"(?<![^{}@])([^{}@]++)\{([^{}]*+)\}")
_COMPOUND = re.compile(r"([a-z][a-z0-9]*+)?((?>(?:[.#][\w-]++)+))", re.IGNORECASE)
"""An optional element name with its classes and ids."""
_NAME = re.compile(r"[.#][\w-]++")
_DISPLAY = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)[^;]*", re.IGNORECASE)
MAX_SHOWING = 20
"""Maximum rules considered that show again the elements of one class or id."""
_AT_BLOCK = re.compile(r"@[^{}@]{0,300}\{(?>(?:[^{}]*+\{[^{}]*+\})*)[^{}]*+\}")
_WHITE = {"#fff": "white", "#ffffff": "white", "rgb(255,255,255)": "white", "#000": "black", "#000000": "black"}
_HIDING_NAMES = frozenset("hidden d-none invisible is-hidden visually-hidden sr-only screen-reader-text".split())
"""Classes that hide elements in common style sheets, which are separate files and not read."""
_SHOWING_NAME = re.compile(r"(?:sm|md|lg|xl|2xl|focus)[:-]\S+|d-(?:sm|md|lg|xl|xxl)-\S+")
"""Classes of the same style sheets that show elements again, on larger screens."""
INVISIBLE = re.compile("[\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
"""Invisible characters; they can encode hidden texts (tags, selectors) or reverse text (bidi)."""


@dataclass(slots=True)
class _Rules:
    """Rules of a page's style sheets by class or id; names include their `.` or `#`."""

    hiding: set[tuple[str, str]] = field(default_factory=set)
    """(element or an empty text for any, name) of rules that hide."""
    hiding_by_display: set[tuple[str, str]] = field(default_factory=set)
    """The same for rules that hide only by `display`."""
    showing: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    """By name, the sets of names with which an element is displayed again."""

    def hide(self, tag: str, names: frozenset[str]) -> bool:
        """Tell whether the rules hide an element."""
        selectors = [(kind, name) for name in names for kind in ("", tag)]
        if not self.hiding.isdisjoint(selectors):
            return True
        folded = {name for kind, name in selectors if (kind, name) in self.hiding_by_display}
        return any(not any(map(names.issuperset, self.showing.get(name, ()))) for name in folded)


def remove_hidden(tree: HtmlElement) -> None:
    """Remove all elements that a browser would not show."""
    rules = _rules_of(tree)
    for element in list(tree.iter()):
        named = isinstance(element.tag, str)  # comments and processing instructions have no attributes
        if not named or (element.tag not in {"html", "body", "head"} and _is_hidden(element, rules)):
            _drop(element)


def _is_hidden(element: HtmlElement, rules: _Rules) -> bool:
    tag = element.tag
    if tag in _DROPPED and not (tag == "script" and "ld+json" in element.get("type", "")):
        return True
    if element.get("hidden") is not None or (tag == "dialog" and element.get("open") is None):
        return True
    if tag == "input" and element.get("type") != "checkbox":
        return True
    style = element.get("style", "")
    if style and _hides(_plain(style)):
        return True
    classes = element.get("class", "").split()
    if not _HIDING_NAMES.isdisjoint(classes) and not any(map(_SHOWING_NAME.fullmatch, classes)):
        return True
    names = {f".{name}" for name in classes} | {f"#{name}" for name in (element.get("id"),) if name}
    return bool(names) and rules.hide(tag, frozenset(names))


def _hides(style: str) -> bool:
    return bool(_HIDING.search(style)) or _same_colour(style)


def _plain(style: str) -> str:
    """Return CSS without comments and escapes, which can disguise its words."""
    style = re.sub(r"/\*.*?(?:\*/|\Z)", "", style, flags=re.DOTALL)
    return re.sub(
        r"\\([0-9a-f]{1,6})\s?", lambda match: chr(min(int(match[1], 16), 0x10FFFF)), style, flags=re.IGNORECASE
    )


def _same_colour(style: str) -> bool:
    colours = {}
    for name, value in _COLOUR.findall(style):
        plain = re.sub(r"\s+", "", value).lower()
        colours[name.lower().split("-")[0]] = _WHITE.get(plain, plain)
    return "color" in colours and colours.get("background") == colours["color"]


def _rules_of(tree: HtmlElement) -> _Rules:
    rules = _Rules()
    for sheet in tree.iter("style"):
        if sheet.get("media", "all").lower() not in {"all", "screen", ""}:
            continue
        text = _AT_BLOCK.sub("", _plain((sheet.text or "")[:200_000]))
        for selectors, body in _RULE.findall(text):
            _read_rule(rules, selectors, body)
    return rules


def _read_rule(rules: _Rules, selectors: str, body: str) -> None:
    hides = _hides(body)
    shows = not hides and _DISPLAY.search(body) is not None
    if not hides and not shows:
        return
    hiding = rules.hiding if hides and _hides(_DISPLAY.sub("", body)) else rules.hiding_by_display
    for selector in selectors.split(","):
        compound = _COMPOUND.fullmatch(selector.strip())
        names = frozenset(_NAME.findall(compound[2])) if compound else frozenset()
        if compound and hides and len(names) == 1:
            hiding.add(((compound[1] or "").lower(), *names))
        elif shows and len(names) > 1:
            for name in names:
                others = rules.showing.setdefault(name, [])
                if len(others) < MAX_SHOWING:
                    others.append(names)


def _drop(element: HtmlElement) -> None:
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)
