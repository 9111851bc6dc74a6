"""What a person would not see is taken out of a page before its text is: instructions to machines hide there.

Style sheets of the page itself are read as far as simple rules go (one class, id or element); colours that a computed
background would hide, and style sheets elsewhere, are not known here.
"""

import re

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
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?([.#][\w-]+)", re.IGNORECASE)
_AT_BLOCK = re.compile(r"@[^{}@]{0,300}\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_WHITE = {"#fff": "white", "#ffffff": "white", "rgb(255,255,255)": "white", "#000": "black", "#000000": "black"}
_HIDING_NAMES = frozenset("hidden d-none invisible is-hidden visually-hidden sr-only screen-reader-text".split())
"""Classes that the common style sheets hide by; those sheets are files of their own and are not read."""
_SHOWING_NAME = re.compile(r"(?:sm|md|lg|xl|2xl|focus)[:-]\S+|d-(?:sm|md|lg|xl|xxl)-\S+")
"""Classes by which the same style sheets show again, on larger screens, what such a class hides."""
INVISIBLE = re.compile("[\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
"""Characters without a look of their own; texts can be written in them (tags, selectors) or turned around (bidi)."""


def remove_hidden(tree: HtmlElement) -> None:
    """Take everything out of a page that a browser would not show."""
    classes, ids = _hidden_by_sheets(tree)
    for element in list(tree.iter()):
        named = isinstance(element.tag, str)  # comments and processing instructions have none
        if not named or (element.tag not in {"html", "body", "head"} and _is_hidden(element, classes, ids)):
            _drop(element)


def _is_hidden(element: HtmlElement, classes: set[tuple[str, str]], ids: set[tuple[str, str]]) -> bool:
    tag = element.tag
    if tag in _DROPPED and not (tag == "script" and "ld+json" in element.get("type", "")):
        return True
    if element.get("hidden") is not None or (tag == "input") or (tag == "dialog" and element.get("open") is None):
        return True
    style = element.get("style", "")
    if style and (_HIDING.search(_plain(style)) or _same_colour(style)):
        return True
    named = element.get("class", "").split()
    if not _HIDING_NAMES.isdisjoint(named) and not any(map(_SHOWING_NAME.fullmatch, named)):
        return True
    if classes and any((kind, name) in classes for name in named for kind in ("", tag)):
        return True
    return bool(ids) and any((kind, element.get("id", "")) in ids for kind in ("", tag))


def _plain(style: str) -> str:
    """Return CSS without comments and escapes that hide its words."""
    style = re.sub(r"/\*.*?(?:\*/|\Z)", "", style, flags=re.DOTALL)
    return re.sub(
        r"\\([0-9a-f]{1,6})\s?", lambda found: chr(min(int(found[1], 16), 0x10FFFF)), style, flags=re.IGNORECASE
    )


def _same_colour(style: str) -> bool:
    colours = {}
    for name, value in _COLOUR.findall(_plain(style)):
        plain = re.sub(r"\s+", "", value).lower()
        colours[name.lower().split("-")[0]] = _WHITE.get(plain, plain)
    return "color" in colours and colours.get("background") == colours["color"]


def _hidden_by_sheets(tree: HtmlElement) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return (element or "", class) and (element or "", id) of the simple rules that hide."""
    classes: set[tuple[str, str]] = set()
    ids: set[tuple[str, str]] = set()
    for sheet in tree.iter("style"):
        if sheet.get("media", "all").lower() not in {"all", "screen", ""}:
            continue
        text = _AT_BLOCK.sub("", _plain((sheet.text or "")[:200_000]))
        for selectors, body in _RULE.findall(text):
            if not (_HIDING.search(body) or _same_colour(body)):
                continue
            for selector in selectors.split(","):
                if found := _SIMPLE.fullmatch(selector.strip()):
                    kind = classes if found[2][0] == "." else ids
                    kind.add(((found[1] or "").lower(), found[2][1:]))
    return classes, ids


def _drop(element: HtmlElement) -> None:
    """Take an element out and leave the text after it."""
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
