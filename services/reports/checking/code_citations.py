"""Sentences that cite nothing: the one excerpt that supports a sentence, found by the check that judges cited sentences.

Of the 311 right claims of `benchmarks/` (November 2026), each among all passages of its set, 265 got their own passage, 44 none and
two another; of the 300 wrong ones none got another, and 75 their own, which the check lets pass for cited sentences too
(`benchmarks/cited_by_code.py`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from schemas.evidence import Excerpt
from services.evidence.non_claims import SMALL_NUMBER
from services.evidence.support import lexical_share
from services.text.numbers import quantities
from services.text.ranking import bm25
from services.text.tokens import has_cjk, tokens

CANDIDATES = 8
"""Excerpts that are checked for a sentence: those that share most with it."""
LEAST_TERMS = 3
"""Terms of a sentence; with fewer ("They rose.") it says too little to tell what it is about."""
LEAST_SHARE = 0.3
"""Share of a sentence's terms that an excerpt and its source's title must hold. Below it, short sentences with a number or a year
are borne out by passages about something else: 4 of 300 wrong claims at 0, none at 0.3."""
TELLING_NUMBERS = 2
"""Numbers and years of a sentence, besides small ones, by which an excerpt in another language is found. Of the Chinese sentences of
XQuAD with so many, 147 of 191 got a sentence of their paragraph's English twin, and none another paragraph's."""
CLEAR_SHARE = 0.5
"""Share from which on the best of several supporting excerpts is cited; of less, none is known to be the one that was meant."""


class _Supporter(NamedTuple):
    share: float
    place: int
    """Of the excerpt, negative, so that the first of equal ones is the greatest."""
    key: str


class CodeCitations:
    """Finds what to cite, and remembers it, as a report is checked several times."""

    def __init__(
        self,
        excerpts: Sequence[Excerpt],
        titles: Mapping[str, str],
        untraced: Collection[str] = (),
        sections: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """Take the evidence.

        Args:
            excerpts: all that were shown to the writer, in that order; excerpts with the same quote count as the first.
            titles: of the sources, by `content_hash`.
            untraced: `content_hash`s of computations whose numbers no source gives; they are never found.
            sections: ids of the excerpts that a section was written from, by its heading; anything else may cite all.
        """
        by_quote: dict[str, Excerpt] = {}
        for excerpt in excerpts:
            if excerpt.content_hash not in untraced:
                by_quote.setdefault(" ".join(excerpt.quote.split()), excerpt)
        self._excerpts = list(by_quote.values())
        self._texts = [f"{excerpt.quote}\n{titles.get(excerpt.content_hash, '')}" for excerpt in self._excerpts]
        self._terms = [tokens(text) for text in self._texts]
        self._sections = {
            heading: {
                same.id
                for excerpt in excerpts
                if excerpt.id in ids and (same := by_quote.get(" ".join(excerpt.quote.split()))) is not None
            }
            for heading, ids in (sections or {}).items()
        }
        self._found: dict[tuple[str, str, tuple[str, ...]], str] = {}

    def find(self, words: str, section: str, parts: Sequence[str], supports: Callable[[str], bool]) -> str:
        """Return the id of the excerpt to cite; empty where none supports a sentence, or several do and none clearly.

        Args:
            words: of the sentence, or of the row of a table.
            section: heading above it.
            parts: of the row.
            supports: the check of this sentence against the excerpt with an id.
        """
        known = (section, words, tuple(parts))
        if known not in self._found:
            self._found[known] = self._search(words, parts, self._sections.get(section), supports)
        return self._found[known]

    def _search(
        self, words: str, parts: Sequence[str], among: Collection[str] | None, supports: Callable[[str], bool]
    ) -> str:
        places = [place for place, excerpt in enumerate(self._excerpts) if among is None or excerpt.id in among]
        terms = tokens(" ".join([words, *parts]))
        if len(terms) < LEAST_TERMS:
            return ""
        scores = bm25([self._terms[place] for place in places], terms)
        ranked = sorted((-score, place) for score, place in zip(scores, places, strict=True) if score > 0)
        found: list[_Supporter] = []
        for _, place in ranked[:CANDIDATES]:
            share = self._share(words, place)
            if share >= LEAST_SHARE and supports(self._excerpts[place].id):
                found.append(_Supporter(share, -place, self._excerpts[place].id))
        best = max(found, default=None)
        return best.key if best and (len(found) == 1 or best.share >= CLEAR_SHARE) else ""

    def _share(self, words: str, place: int) -> float:
        """Return the share of a sentence's terms that an excerpt holds; in another language, its numbers count instead."""
        if has_cjk(words) == has_cjk(self._excerpts[place].quote):
            return lexical_share(words, self._texts[place])
        telling = sum(not SMALL_NUMBER.fullmatch(number.text) for number in quantities(words))
        return LEAST_SHARE if telling >= TELLING_NUMBERS else 0.0
