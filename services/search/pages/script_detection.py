"""Whether a page shows its text only to a browser that runs its scripts: judged by its structure and the text it gave.

A wrong yes costs a rendering, whose text is then compared with the page's own; a wrong no loses the page.
"""

import re
from dataclasses import dataclass
from typing import Literal

from lxml.html import HtmlElement

NeedsScripts = Literal["empty", "notice", "route", "shell"]
"""No text at all; a text that asks for scripts; a text that may be another's than that of the route in the address; a little text around
a place that scripts are to fill."""

LONGEST_NOTICE = 400
"""Weight of a text beyond which a sentence about scripts is one of its subjects and not all that it says."""
LONGEST_SHELL = 600
"""Weight of a text beyond which a page has something to say beside what its scripts fill in."""
LONGEST_FILLING = 120
"""Weight of the text in a place that scripts are to fill, such as a word that says to wait."""
CJK_WEIGHT = 3
"""A Chinese character counts as much as three others: so many an English word has more than a Chinese one."""
MAX_ELEMENTS = 200_000
"""Elements of a page that are looked at."""
MAX_PLACES = 20
"""Places of a page that scripts may be to fill which are looked into."""
_RUNNING = frozenset({"", "text/javascript", "application/javascript", "module", "text/babel", "text/ecmascript"})
"""Types of scripts that a browser runs."""
_PLACES = frozenset(
    "root app __next __nuxt ___gatsby svelte app-root react-root reactroot vue-app ember-app main-app mount "
    "application spa-root".split()
)
"""Ids of the elements that the common frameworks fill, in lower case."""
_SILENT = frozenset("script style noscript template svg".split())
_NOTICE = re.compile(
    r"\b(?:enabl(?:e|ing)|activate|allow|turn\s{1,3}on|switch\s{1,3}on|requir(?:es?|ing)|needs?|without|support)"
    r"(?:\s{1,3}[\w'’-]{1,20}){0,4}\s{1,3}java\s?script\b"
    r"|\bjava\s?script(?:\s{1,3}[\w'’-]{1,20}){0,4}\s{1,3}"
    r"(?:required|disabled|enabled|needed|necessary|activated|off|on|unavailable|blocked)\b"
    r"|\bjava\s?script\s{1,3}(?:required|disabled)\b"
    r"|(?:启用|啟用|开启|開啟|打开|打開|允许|允許|激活|需要|支持|支援)[^。！？\n]{0,12}(?:java\s?script|js\b|脚本|腳本)"
    r"|(?:java\s?script|\bjs|脚本|腳本)[^。！？\n]{0,12}(?:禁用|停用|关闭|關閉|未启用|未啟用|启用|啟用|开启|開啟|打开|打開|不可用)",
    re.IGNORECASE,
)
"""Sentences by which pages ask for scripts."""
_WAITING = re.compile(
    r"(?:loading|please wait|just a moment|one moment|initiali[sz]ing|(?:正在|页面|頁面)?(?:加载|加載|载入|載入)中?|请稍[候等]|請稍[候等])"
    r"[\s.…·。!！,，]{0,20}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ScriptSigns:
    """What the structure of a page tells about its scripts, before anything is taken out of it."""

    scripts: int = 0
    """Scripts that a browser would run."""
    empty_place: bool = False
    """Whether there is an element that a framework fills, with nothing in it yet."""
    notice: bool = False
    """Whether what is shown without scripts says that they are needed."""


def script_signs(tree: HtmlElement) -> ScriptSigns:
    """Read the signs off a parsed page; in linear time, and at most `MAX_ELEMENTS` of it."""
    scripts = places = 0
    empty = notice = False
    for number, element in enumerate(tree.iter()):
        if number >= MAX_ELEMENTS:
            break
        tag = element.tag
        if not isinstance(tag, str):
            continue
        if tag == "script":
            scripts += (element.get("type") or "").strip().lower() in _RUNNING
        elif tag == "noscript" and not notice:
            notice = asks_for_scripts(_text_of(element, LONGEST_NOTICE))
        elif places < MAX_PLACES and not empty and _is_place(element, tag):
            places += 1
            empty = weight(_text_of(element, LONGEST_FILLING + 1)) <= LONGEST_FILLING
    return ScriptSigns(scripts, empty, notice)


def needs_scripts(signs: ScriptSigns, text: str, *, routed: bool = False) -> NeedsScripts | None:
    """Tell why a page is to be rendered; None where its text stands as it is.

    Args:
        signs: of the page's structure.
        text: what was extracted from it, as a person would see it without scripts.
        routed: whether its address has a route, which no server sees.
    """
    if not signs.scripts:
        return None
    stripped = text.strip()
    heavy = weight(stripped[: LONGEST_SHELL + 1])
    if not stripped:
        return "empty"
    if heavy <= LONGEST_NOTICE and (_WAITING.fullmatch(stripped) or asks_for_scripts(stripped)):
        return "notice"
    if routed:
        return "route"
    if heavy <= LONGEST_SHELL and (signs.empty_place or signs.notice):
        return "shell"
    return None


def shows_more(why: NeedsScripts, before: str, text: str) -> bool:
    """Tell whether what a page shows once its scripts have run is worth more than what it shows without them.

    Args:
        why: it was rendered.
        before: its text without scripts.
        text: its text with them.
    """
    if needs_scripts(ScriptSigns(scripts=1), text) is not None:
        return False
    return weight(text) > weight(before) if why == "shell" else True


def has_drawn(why: NeedsScripts, before: str, text: str) -> bool:
    """Tell whether a page in a browser shows what it is to show: more than without its scripts, and no word that says to wait.

    Args:
        why: it is rendered.
        before: its text without scripts.
        text: its text in the browser so far, each piece on a line.
    """
    waits = weight(text) <= LONGEST_SHELL and any(map(_WAITING.fullmatch, text.splitlines()))
    return not waits and shows_more(why, before, text)


def asks_for_scripts(text: str) -> bool:
    """Tell whether a short text says, in English or Chinese, that scripts have to run."""
    return _NOTICE.search(text) is not None


def weight(text: str) -> int:
    """Return the length of a text in characters of English, Chinese ones counted `CJK_WEIGHT` times."""
    return len(text) + (CJK_WEIGHT - 1) * sum("\u3400" <= char <= "\u9fff" for char in text)


def _is_place(element: HtmlElement, tag: str) -> bool:
    """Tell whether a framework fills an element: by its usual ids, or an element of its own right in the body."""
    if (element.get("id") or "").lower() in _PLACES or element.get("ng-app") is not None:
        return tag != "body"
    parent = element.getparent()
    return "-" in tag and parent is not None and parent.tag == "body"


def _text_of(element: HtmlElement, limit: int) -> str:
    """Return the first characters of an element's text, without those of scripts, styles and the like."""
    text = ""
    for inner in element.iter():
        shown = inner is element or inner.tag not in _SILENT
        text += f" {inner.text or ''}" if shown else ""
        text += f" {inner.tail or ''}" if inner is not element else ""
        text = " ".join(text.split())
        if len(text) > limit:
            break
    return text[:limit]
