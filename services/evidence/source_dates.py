"""Dates by which a sentence names the source that it cites: `the notice of December 2011`, `the paper, published in 2014`.

A source's date stands beside its text, and its title may name the year of what it reports. Such a date is no date of what the
sentence says, so it is left out before numbers are bound. It must be the source's own. The same holds for a year in the
title of a table without dates: all its rows are of that year.
"""

import re
from collections.abc import Sequence
from itertools import zip_longest

from services.evidence.readings import read
from services.text.measures import is_year
from services.text.numbers import is_held, missing_quantities, quantities, quantities_with_places
from services.text.quantity import Quantity

_NOUN = (
    r"(?:articles?|reports?|papers?|stud(?:y|ies)|surveys?|notices?|accounts?|results?|reviews?|books?|editions?|blogs?|posts?|pages?|statements?|"
    r"releases?|documents?|guidelines?|analys[ei]s|preprints?|theses|thesis|records?|letters?|essays?|summar(?:y|ies))"
)
_PUBLISHED = r"(?:published|dated|issued|posted|printed|updated|came out|appeared|appearing|released|written)"
_PUBLISHED_BEFORE = re.compile(
    rf"\b{_PUBLISHED}(?: (?:in|on|of|as of|from))?(?: (?:early|late|mid))?[ -]$|(?:发表|发布|刊登|刊载|出版|写|更新|公布)(?:于|年份|时间|日期)?\s?$",
    re.IGNORECASE,
)
_PUBLICATION = re.compile(
    r"^(?:date of )?(?:publication|published|issued|dated|posted)\b|^(?:发表|发布|出版|刊登|刊载)", re.IGNORECASE
)
"""Head of a column with the dates of sources."""
_NOUN_BEFORE = re.compile(rf"\b{_NOUN}(?: (?:of|from|in)|,)? [(（]?$", re.IGNORECASE)
_NOUN_AFTER = re.compile(
    rf"[)）]?(?: [a-z-]{{2,20}}){{0,2}} {_NOUN}\b|"
    r"(?:\d{1,2}月)?的?(?:[\u4e00-\u9fff]{0,6}?)(?:报告|论文|研究|文章|通报|公告|综述|分析|报道|评论|调查|指南|发表|发布|刊登|刊载|出版|公布|的说法|一文)",
    re.IGNORECASE,
)
_PUBLISHED_BEHIND = re.compile(r" \([^()]*\)$")
"""When a source was published, behind its title; see `dated_title`."""
_BEHIND_NAME = " – "
"""What stands between the name and the title of a source, as in `Card.heading`."""
_YEAR = re.compile(r"[12]\d{3}(?: ?年)?")
BEFORE, AFTER = 40, 60
"""Characters beside a date in which it is said to be that of a source."""


def dated_title(title: str, published: str) -> str:
    """Return a title with the date of its source, as the check of sentences takes it."""
    return f"{title} ({published})" if published else title


def with_publication_heads(cells: Sequence[str], heads: Sequence[str]) -> list[str]:
    """Return the cells of a row; those whose head says that a source was published then, with it: `published 2014`."""
    return [
        f"{head} {cell}" if cell and _PUBLICATION.match(head) else cell
        for cell, head in zip_longest(cells, heads, fillvalue="")
    ]


def not_on_cards(missing: Sequence[str], text: str, cards: Sequence[str]) -> list[str]:
    """Return the numbers of a sentence that no card of its sources has.

    Args:
        missing: numbers and dates, as the sentence writes them, that its quotes do not have.
        text: the sentence.
        cards: `Card.evidence` of each source with the date of publication behind it, which is no date of what the source says. A year alone
            counts where the sentence calls the source by its name: it is in every date. Any other number counts beside the same word:
            703 of `PEP 703`.
    """
    if not missing or not cards:
        return list(missing)
    told = [_PUBLISHED_BEHIND.sub("", card) for card in cards]
    named = [card for card in told if card.partition(_BEHIND_NAME)[0] in text]

    def is_told(number: str) -> bool:
        if any(map(_is_date, quantities(number))):
            return not missing_quantities(number, named if _YEAR.fullmatch(number) else told)
        beside = re.finditer(rf"(?:\b(\w{{1,40}})[ -])?{re.escape(number)}(?!\d)(?: (\w{{1,40}}))?", text)
        pairs = {
            f"{found[1]} {number}" if side == 1 else f"{number} {found[2]}"
            for found in beside
            for side in (1, 2)
            if found[side]
        }
        return any(pair.casefold() in card.casefold() for pair in pairs for card in told)

    return [number for number in missing if not is_told(number)]


def without_source_dates(text: str, quotes: Sequence[str], titles: Sequence[str]) -> str:
    """Return a sentence without the dates by which it names what it cites.

    Args:
        text: the sentence.
        quotes: that it cites. A date that they hold as well stays, unless the sentence says that something was published then.
        titles: of their sources, with dates.
    """
    own = [quantity for title in titles for quantity in quantities(title)]
    plain, placed = quantities_with_places(text)
    dates = [(start, end, quantity) for start, end, quantity in placed if _is_date(quantity) and is_held(quantity, own)]
    held = [quantity for quote in quotes for quantity in quantities(quote)] if dates else []
    titled = [quantity for title in titles for quantity in quantities(_PUBLISHED_BEHIND.sub("", title))]
    undated = bool(titled) and not any(map(_is_date, held)) and all(read(quote).tables for quote in quotes)
    left_out = 0
    for start, end, quantity in reversed(dates):
        before, after = plain[max(0, start - BEFORE) : start], plain[end : end + AFTER]
        published = _PUBLISHED_BEFORE.search(before)
        named = _NOUN_BEFORE.search(before) or _NOUN_AFTER.match(after)
        if published or (named and not is_held(quantity, held)) or (undated and is_held(quantity, titled)):
            first = start - len(published.group()) if published else start
            plain = f"{plain[:first].rstrip()} {plain[end:].lstrip()}"
            left_out += 1
    return plain if left_out else text


def _is_date(quantity: Quantity) -> bool:
    return quantity.kind == "date" or is_year(quantity)
