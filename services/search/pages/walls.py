"""Detects what stands before the text of a page: a captcha, a question about cookies, or a wall for subscribers.

A false positive costs the page, whose snippet is then quoted instead; a false negative quotes what is no evidence.
"""

import re
from itertools import islice
from typing import TYPE_CHECKING

from services.search.files.missing_text import MAX_ELEMENTS, weight

if TYPE_CHECKING:
    from lxml.html import HtmlElement

CAPTCHA = "it asks for a captcha"
COOKIES = "it asks about cookies before it shows its text"
SUBSCRIBERS = "it shows only the beginning of a text for subscribers"
LONGEST_CAPTCHA = 800
"""Maximum weight of the text of a page that is a captcha; in longer ones it belongs to a form below the text."""
LONGEST_BESIDE = 600
"""Maximum weight of the text beside a question about cookies that stands alone."""
LONGEST_BEGINNING = 3_000
"""Maximum weight of a text for subscribers that is only its beginning."""
_NAMING = ("id", "class", "src", "action", "name", "data-sitekey", "aria-label", "title")
"""Attributes by which scripts, frames and forms of such pages are known."""
_CAPTCHA = re.compile(r"captcha|turnstile|challenge-(?:platform|form|running|stage)", re.IGNORECASE)
_COOKIES = re.compile(r"cookie|consent|gdpr", re.IGNORECASE)
_PAYWALL = re.compile(r"paywall", re.IGNORECASE)
_NOT_FREE = re.compile(r"""["']isAccessibleForFree["']\s{0,9}:\s{0,9}["']?false""", re.IGNORECASE)
"""What schema.org has for a text that is not free."""
_WHOLE = frozenset({"html", "body", "main", "article", "head", "meta", "link", "title"})
"""Elements whose names tell the subject of a page."""
_ANSWERS = ("button", "input", "form")


def wall(tree: "HtmlElement", text: str) -> str:
    """Return what stands before the text of a page with its scripts, as a part of a sentence; empty where its text is there."""
    heavy = weight(text[: LONGEST_BEGINNING + 1])
    if heavy > LONGEST_BEGINNING:
        return ""
    elements = [element for element in islice(tree.iter(), MAX_ELEMENTS) if isinstance(element.tag, str)]
    if heavy <= LONGEST_CAPTCHA and any(_named(element, _CAPTCHA) for element in elements):
        return CAPTCHA
    if _asks_about_cookies(tree, elements):
        return COOKIES
    return SUBSCRIBERS if any(map(_is_for_subscribers, elements)) else ""


def _named(element: "HtmlElement", pattern: re.Pattern[str]) -> bool:
    return element.tag not in _WHOLE and any(pattern.search(element.get(name, "")[:500]) for name in _NAMING)


def _asks_about_cookies(tree: "HtmlElement", elements: list["HtmlElement"]) -> bool:
    """Tell whether a question about cookies that can be answered is nearly all that a page says."""
    asking = next((element for element in elements if _named(element, _COOKIES) and _is_dialog(element)), None)
    if asking is None:
        return False
    own = _weight(asking)
    return own > 0 and _weight(tree) - own <= min(LONGEST_BESIDE, own)


def _is_dialog(element: "HtmlElement") -> bool:
    """Tell whether an element can be answered, and is no part of a text."""
    in_text = next(element.iterancestors("article", "main"), None) is not None
    return not in_text and next(element.iter(*_ANSWERS), None) is not None


def _weight(element: "HtmlElement") -> int:
    shown = (
        text
        for inner in element.iter()
        if isinstance(inner.tag, str) and inner.tag not in {"script", "style", "noscript", "template", "title"}
        for text in (inner.text, inner.tail if inner is not element else None)
    )
    return weight(" ".join(" ".join(filter(None, shown)).split()))


def _is_for_subscribers(element: "HtmlElement") -> bool:
    if element.tag == "script":
        return bool(_NOT_FREE.search((element.text or "")[:200_000]))
    if element.tag == "meta":
        tier = (element.get("property") or element.get("name") or "").lower()
        of_schema = element.get("itemprop") == "isAccessibleForFree" and element.get("content", "").lower() == "false"
        return of_schema or (tier == "article:content_tier" and element.get("content", "").lower() == "locked")
    return _named(element, _PAYWALL)
