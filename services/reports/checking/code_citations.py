"""Finds the excerpt that a report quotes verbatim, and for sentences without a citation the one that passes the check of cited sentences.

Of 1,531 right claims of `benchmarks/` (December 2026), each among all passages of its set, 1,270 got their own passage, 259 none and
two another; of 1,442 wrong ones one got another.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from schemas.evidence import Excerpt
from services.check.support import lexical_share
from services.evidence.non_claims import SMALL_NUMBER
from services.reports.document import letters
from services.text.numbers import quantities
from services.text.quote_location import locate
from services.text.ranking import bm25
from services.text.tokens import has_cjk, tokens
from services.text.wrapped_lines import unwrapped

AROUND = " .。“”\"'"
"""What a sentence of a report may have around the words of a quote."""
_BEGINS = re.compile(r"(?:^|[.!?;:|。！？；：\n])[\s“”\"'*|-]{0,4}$")
_ENDS = re.compile(r"[\s“”\"'*]{0,4}(?:$|[.!?;|。！？；\n])")
"""Characters before and after a whole sentence of a quote."""
_EMPTY_CELLS = re.compile(r"\|(?>(?:[ \t]*+\|)+)")
_ATTRIBUTION = re.compile(
    r"(?<!\s)\s*+(?:[—–―]{1,2}|--?|（出处|（来源|\((?:source|from)\b)[^\n]{1,160}+$", re.IGNORECASE
)


def find_quotation(text: str, excerpts: Mapping[str, Excerpt], ids: Sequence[str]) -> tuple[str, str] | None:
    """Find the excerpt that a text quotes, with or without an attribution at its end; those that it cites are checked first.

    Returns:
        The text as it stands in the excerpt, and the excerpt's id; None if no excerpt holds it.
    """
    for candidate in dict.fromkeys((text, _ATTRIBUTION.sub("", text))):
        for identifier in [*ids, *(other for other in excerpts if other not in ids)]:
            quote = excerpts[identifier].quote
            span = locate(candidate, quote)
            if span is not None:
                return quote[span[0] : span[1]], identifier
    return None


def holds_sentence(quote: str, words: str) -> bool:
    """Tell whether words are a whole sentence, line or cell of a quote, not only a part of one; wraps, markup and empty cells do not count."""
    text, bare = (_EMPTY_CELLS.sub("|", part) for part in (unwrapped(quote), words.strip(AROUND)))
    place = text.find(bare) if bare else -1
    span = (place, place + len(bare)) if place >= 0 else locate(bare, text)
    if span is None or letters(text[slice(*span)]) != letters(bare):
        return False
    return bool(_BEGINS.search(text[max(0, span[0] - 4) : span[0]]) and _ENDS.match(text, span[1]))


CANDIDATES = 8
"""Maximum excerpts to check for a sentence: those with the most common terms."""
LEAST_TERMS = 3
"""Minimum terms of a sentence; shorter ones ("They rose.") do not show their subject."""
LEAST_SHARE = 0.3
"""Share of a sentence's terms that an excerpt and its source's title must hold. Below it, short sentences with a number or a year
are borne out by passages about something else: 17 of these claims at 0, 3 at 0.3."""
TELLING_NUMBERS = 2
"""Numbers and years of a sentence, besides small ones, by which an excerpt in another language is found. Of the Chinese sentences of
XQuAD with so many, 147 of 191 got a sentence of their paragraph's English twin, and none another paragraph's."""
CLEAR_SHARE = 0.5
"""Minimum share of common terms for the best of several supporting excerpts to be cited; below it, the choice is ambiguous."""


class CodeCitations:
    """Finds citations and caches them, since a report is checked several times."""

    def __init__(
        self,
        excerpts: Sequence[Excerpt],
        titles: Mapping[str, str],
        sections: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """Index all excerpts shown to the writer, of equal quotes the first, with the titles of their sources by `content_hash`.

        Sections, by their headings, cite only the excerpts with these ids; other parts may cite all.
        """
        by_quote: dict[str, Excerpt] = {}
        first: dict[str, str] = {}
        """The id of the first excerpt with the same quote, by an excerpt's id."""
        for excerpt in excerpts:
            first[excerpt.id] = by_quote.setdefault(" ".join(excerpt.quote.split()), excerpt).id
        self._excerpts = list(by_quote.values())
        self._texts = [f"{excerpt.quote}\n{titles.get(excerpt.content_hash, '')}" for excerpt in self._excerpts]
        self._terms = [tokens(text) for text in self._texts]
        self._sections = {
            heading: {first[key] for key in ids if key in first} for heading, ids in (sections or {}).items()
        }
        self._supporters: dict[tuple[str, str, tuple[str, ...]], str] = {}

    def find(self, words: str, section: str, parts: Sequence[str], supports: Callable[[str], bool]) -> str:
        """Return the id of the excerpt to cite for a sentence or row below a heading; empty if none supports it, or if the choice is ambiguous.

        `supports` checks it against the excerpt with an id.
        """
        known = (section, words, tuple(parts))
        if known not in self._supporters:
            self._supporters[known] = self._search(words, parts, self._sections.get(section), supports)
        return self._supporters[known]

    def _search(
        self, words: str, parts: Sequence[str], among: Collection[str] | None, supports: Callable[[str], bool]
    ) -> str:
        places = [place for place, excerpt in enumerate(self._excerpts) if among is None or excerpt.id in among]
        terms = tokens(" ".join([words, *parts]))
        if len(terms) < LEAST_TERMS:
            return ""
        scores = bm25([self._terms[place] for place in places], terms)
        ranked = sorted((-score, place) for score, place in zip(scores, places, strict=True) if score > 0)
        supporters: dict[int, float] = {}
        for place in sorted(place for _, place in ranked[:CANDIDATES]):
            share = self._share(words, place)
            if share >= LEAST_SHARE and supports(self._excerpts[place].id):
                supporters[place] = share
        best = max(supporters, key=lambda place: supporters[place], default=None)  # of equal ones the first
        clear = best is not None and (len(supporters) == 1 or supporters[best] >= CLEAR_SHARE)
        return self._excerpts[best].id if best is not None and clear else ""

    def _share(self, words: str, place: int) -> float:
        """Return the share of a sentence's terms in an excerpt; for another language, the share of its numbers."""
        if has_cjk(words) == has_cjk(self._excerpts[place].quote):
            return lexical_share(words, self._texts[place])
        telling = sum(not SMALL_NUMBER.fullmatch(number.text) for number in quantities(words))
        return LEAST_SHARE if telling >= TELLING_NUMBERS else 0.0
