"""Finds the side of a contradiction that the other side names as its source."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from services.text.names import names
from services.text.tokens import STOP_WORDS, has_cjk, pieces

MIN_ENGLISH = 2
"""Words of one in English; a lone name may be anybody's."""
_ORIGIN = re.compile(
    r"\b(?:according to|as reported by|data from|figures (?:from|of)|source:|citing|cited from|quoting) (?P<english>[^,;.:()\n]{2,80})|"
    r"(?:根据|依据|据|来源[:：]|引自)(?P<chinese>[\u4e00-\u9fff]{3,20}?)(?=统计|数据|的|报道|公布|发布|介绍|通报|公报|报告|年报|称|表示|[，。；,）)]|$)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s[|–—-]\s|[|:：,，_·—]")
"""Between the parts of a title: `Harbour Office: Annual report`."""
_PUBLICATIONS = frozenset(
    "annual report reports statistics statistical yearbook bulletin data database press release survey census table tables "
    "quarterly monthly review website home".split()
)
_CHINESE_PUBLICATIONS = re.compile(
    r"(?:年度|季度|月度|[0-9年第一二三四季月号]|公报|年报|报告|年鉴|数据|数据库|通报|公告|发布|统计|官网|网站|普查)*"
)


def primary(side: int, quotes: Sequence[str], titles: Sequence[str], addresses: Sequence[str]) -> bool:
    """Tell whether another side names a side's publisher as its origin, and the side itself names nobody.

    Args:
        side: its place.
        quotes: of all sides.
        titles: of their sources. One counts whose part is the publisher's name, alone or with what it publishes.
        addresses: of their sources. One counts whose host is the publisher's name.
    """
    if origins(quotes[side]):
        return False
    named = [origin for place, quote in enumerate(quotes) if place != side for origin in origins(quote)]
    return any(_published_by(origin, titles[side], addresses[side]) for origin in named)


def origins(quote: str) -> list[str]:
    """Return the institutions that a quote names as where it has something from."""
    found: list[str] = []
    for match in _ORIGIN.finditer(quote):
        if match["chinese"]:
            found.append(match["chinese"])
        else:
            found += [name for name in names(match["english"]) if len(_words(name)) >= MIN_ENGLISH or has_cjk(name)][:1]
    return found


def _published_by(name: str, title: str, address: str) -> bool:
    parts = [part.strip() for part in _PARTS.split(title)]
    if has_cjk(name):
        return any(
            part.startswith(name) and _CHINESE_PUBLICATIONS.fullmatch(part[len(name) :].strip()) for part in parts
        )
    words = _words(name)
    host = re.sub(r"[^a-z0-9.]", "", (urlsplit(address).hostname or "") if "://" in address else "")
    return any(
        (told := _words(part))[: len(words)] == words and _PUBLICATIONS.issuperset(told[len(words) :]) for part in parts
    ) or "".join(words) in host.split(".")


def _words(text: str) -> list[str]:
    return [piece for piece in pieces(text) if piece not in STOP_WORDS and not piece[0].isdigit()]
