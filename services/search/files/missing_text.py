"""Detects pages whose text is missing because scripts draw it.

A false positive costs a rendering, whose text is then compared with the page's own; a false negative loses the page.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NeedsScripts = Literal["empty", "notice", "shell"]
"""`empty`: no text; `notice`: the text asks for scripts; `shell`: little text around an element that scripts fill."""

LONGEST_NOTICE = 400
"""Maximum weight of a text that counts as a notice; in longer texts, scripts are one of the subjects."""
LONGEST_SHELL = 600
"""Maximum weight of the text around an element that scripts fill; longer texts are content."""
LONGEST_FILLING = 120
"""Maximum weight of placeholder text in an element that scripts fill, such as `Loading`."""
CJK_WEIGHT = 3
"""Weight of a Chinese character: an English word has about three times as many characters."""
MAX_ELEMENTS = 50_000
"""Maximum elements of a page that are examined."""
MAX_PLACES = 20
"""Maximum elements that scripts may fill which are examined."""
RUNNING = frozenset({"", "text/javascript", "application/javascript", "module", "text/babel", "text/ecmascript"})
"""Types of scripts that a browser runs."""
_PLACES = frozenset(
    "root app __next __nuxt ___gatsby svelte app-root react-root reactroot vue-app ember-app main-app mount "
    "application spa-root".split()
)
"""Ids of the elements that common frameworks fill, in lower case."""
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
"""Sentences with which pages ask for scripts."""
_WAITING = re.compile(
    r"(?:loading|please wait|just a moment|one moment|initiali[sz]ing|(?:正在|页面|頁面)?(?:加载|加載|载入|載入)中?|请稍[候等]|請稍[候等])"
    r"[\s.…·。!！,，]{0,20}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ScriptSigns:
    """Signs in a page's structure that it needs scripts, before any element is removed."""

    scripts: int = 0
    """Number of scripts that a browser would run."""
    empty_place: bool = False
    """Whether an element that a framework fills is empty."""
    notice: bool = False
    """Whether the content for browsers without scripts says that scripts are needed."""


def script_signs(tree: "HtmlElement") -> ScriptSigns:
    """Collect the signs of a parsed page in linear time, from at most `MAX_ELEMENTS` elements."""
    scripts = places = 0
    empty = notice = False
    for number, element in enumerate(tree.iter()):
        if number >= MAX_ELEMENTS:
            break
        tag = element.tag
        if not isinstance(tag, str):
            continue
        if tag == "script":
            scripts += (element.get("type") or "").strip().lower() in RUNNING
        elif tag == "noscript" and not notice:
            notice = asks_for_scripts(_text_of(element, LONGEST_NOTICE))
        elif places < MAX_PLACES and not empty and _is_place(element, tag):
            places += 1
            empty = weight(_text_of(element, LONGEST_FILLING + 1)) <= LONGEST_FILLING
    return ScriptSigns(scripts, empty, notice)


def needs_scripts(signs: ScriptSigns, text: str) -> NeedsScripts | None:
    """Return the reason to render a page; None if its text, as a person sees it without scripts, is complete."""
    if not signs.scripts:
        return None
    stripped = text.strip()
    heavy = weight(stripped[: LONGEST_SHELL + 1])
    if not stripped:
        return "empty"
    if heavy <= LONGEST_NOTICE and (_WAITING.fullmatch(stripped) or asks_for_scripts(stripped)):
        return "notice"
    if heavy <= LONGEST_SHELL and (signs.empty_place or signs.notice):
        return "shell"
    return None


def shows_more(why: NeedsScripts, before: str, text: str) -> bool:
    """Tell whether a page's text with scripts is better than the one `before`, without them."""
    if needs_scripts(ScriptSigns(scripts=1), text) is not None:
        return False
    return weight(text) > weight(before) if why == "shell" else True


def has_drawn(why: NeedsScripts, before: str, text: str) -> bool:
    """Tell whether a page in a browser shows its content, one piece a line: more than without scripts, and no waiting message."""
    waits = weight(text) <= LONGEST_SHELL and any(map(_WAITING.fullmatch, text.splitlines()))
    return not waits and shows_more(why, before, text)


def asks_for_scripts(text: str) -> bool:
    """Tell whether a short text asks for scripts, in English or Chinese."""
    return _NOTICE.search(text) is not None


def weight(text: str) -> int:
    """Return the length of a text in English characters; each Chinese character counts `CJK_WEIGHT` times."""
    return len(text) + (CJK_WEIGHT - 1) * sum("\u3400" <= char <= "\u9fff" for char in text)


def _is_place(element: "HtmlElement", tag: str) -> bool:
    """Tell whether a framework fills an element: it has a usual id, or is a custom element of the body."""
    if (element.get("id") or "").lower() in _PLACES or element.get("ng-app") is not None:
        return tag != "body"
    parent = element.getparent()
    return "-" in tag and parent is not None and parent.tag == "body"


def _text_of(element: "HtmlElement", limit: int) -> str:
    """Return the first characters of an element's text, without scripts, styles and the like."""
    text = ""
    for inner in element.iter():
        shown = inner is element or inner.tag not in _SILENT
        text += f" {inner.text or ''}" if shown else ""
        text += f" {inner.tail or ''}" if inner is not element else ""
        text = " ".join(text.split())
        if len(text) > limit:
            break
    return text[:limit]
