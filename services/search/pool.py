"""The hits of one gathering: ranks their passages, merges copies of texts, and describes the selected ones."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from schemas.clean_text import clean_line
from schemas.evidence import Passage, Source
from services.embedding.cross_lingual import in_both_languages
from services.run.evidence_store import EvidenceStore, content_hash
from services.search.hit import Hit, HitPassage
from services.text.copies import adds_nothing, fingerprint, is_copy, may_be_copy, may_overlap
from services.text.heads import Heads, label_at, labelled
from services.text.passages import split
from services.text.ranking import bm25
from services.text.spans import Span
from services.text.tokens import tokens

PASSAGES_A_PAGE = 4
"""Maximum passages of a web page for a query; for documents, the index ranks the passages."""
SAME_PASSAGE = 0.6
"""Minimum share of common words for a passage to be a copy of another."""
MAX_ADDRESSES = 50
"""Maximum addresses kept of one text."""
MAX_KNOWN = 4_096
_known_digests: dict[tuple[int, int], tuple[str, str]] = {}
"""Content hashes and fingerprints of texts by their hash in this process and their length."""
Key = tuple[str, int, int]
"""Content hash, start and end of a passage."""


class Pool:
    """Every hit of one gathering, by content hash."""

    def __init__(self) -> None:
        self._hits: dict[str, Hit] = {}
        self._addresses: dict[str, set[str]] = {}
        """All addresses at which each text was found."""

    def rank(self, query: str, hits: Iterable[Hit]) -> list[Key]:
        """Add hits and return their passages by rank. Blocking: texts may be long."""
        ranking: list[Key] = []
        for hit in hits:
            key, _ = _digests(hit.text)
            self._hits.setdefault(key, hit)
            self._addresses.setdefault(key, set()).update([hit.url, *hit.also_at])
            ranking.extend((key, place.start, place.end) for place in hit.passages or _best_passages(query, hit.text))
        return ranking

    def text(self, key: Key) -> str:
        """Return a passage's text."""
        return self._hits[key[0]].text[key[1] : key[2]]

    def hit(self, key: Key) -> Hit:
        """Return the source of a passage."""
        return self._hits[key[0]]

    def _originals(self, ranked: Sequence[Key]) -> dict[str, str]:
        """Map each source to the best-ranked of its copies."""
        originals: dict[str, str] = {}
        signatures: dict[str, str] = {}
        for key, _, _ in ranked:
            if key in originals:
                continue
            text = self._hits[key].text
            _, signature = _digests(text)
            alike = (original for original, other in signatures.items() if may_overlap(signature, other))
            originals[key] = next((other for other in alike if is_copy(text, self._hits[other].text)), key)
            if originals[key] == key:
                signatures[key] = signature
        return originals

    def without_copies(self, ranked: Sequence[Key]) -> tuple[dict[str, str], list[Key]]:
        """Keep each text once, as its best-ranked copy, with the passages found in any copy. Blocking.

        A passage with facts that the original lacks stays with its copy.

        Returns:
            The best-ranked copy of each source, and the passages, best first.
        """
        originals = self._originals(ranked)
        passages: list[Key] = []
        for key in ranked:
            passage = key if originals[key[0]] == key[0] else self._same(key, originals[key[0]])
            source, start, end = passage
            if not any(source == key and start < last and first < end for key, first, last in passages):
                passages.append(passage)
        return originals, passages

    def _same(self, key: Key, original: str) -> Key:
        """Return the place of a copy's passage in the original, if the original has all of its facts; else the copy's own place."""
        text, whole = self.text(key), self._hits[original].text
        start = whole.find(text)
        if start >= 0:
            return original, start, start + len(text)
        terms = set(tokens(text))
        held_by = _terms_by_passage(whole)
        shares = {span: len(terms & held) / len(terms | held) for span, held in held_by.items() if held}
        best = max(shares, key=lambda span: shares[span], default=None)
        if best is None or shares[best] < SAME_PASSAGE or not adds_nothing(text, whole[best[0] : best[1]]):
            return key
        return original, *best

    def repeats_last(self, ranked: Sequence[Key], queries: Sequence[str]) -> list[Key]:
        """Move passages to the end that repeat a better one of another source, or add no query words to one of the same template. Blocking."""
        query_terms = set(tokens(" ".join(queries)))
        better: list[tuple[str, str, set[str]]] = []
        texts: list[str] = []
        distinct: list[Key] = []
        repeating: list[Key] = []
        for key in ranked:
            _, signature = _digests(self._hits[key[0]].text)
            held = query_terms & set(tokens(f"{self.hit(key).title} {self.text(key)}"))
            others = [(other, terms) for source, other, terms in better if source != key[0]]
            repeats = any(held <= terms and may_be_copy(signature, other) for other, terms in others)
            words = " ".join(self.text(key).split())
            (repeating if (held and repeats) or any(words in text for text in texts) else distinct).append(key)
            better.append((key[0], signature, held))
            texts.append(words)
        return [*distinct, *repeating]

    async def collect(
        self, chosen: Sequence[Key], originals: dict[str, str], evidence: EvidenceStore
    ) -> tuple[list[Passage], dict[str, Source]]:
        """Store the texts of the selected passages' sources, and describe both."""
        used = {key for key, _, _ in chosen}
        sources = {}
        for key, original in originals.items():
            if original in used or key in used:
                await evidence.put_text(self._hits[key].text)
                sources[key] = self._source(key, original)
        places = await asyncio.to_thread(lambda: [what_begins(self._hits[key].text, start) for key, start, _ in chosen])
        passages = [
            Passage(
                id=f"P{place}",
                content_hash=key,
                title=self._hits[key].title,
                name=sources[key].card.name,
                start=start,
                end=end,
                text=self._hits[key].text[start:end],
                site=sources[key].publisher,
                source_kind=sources[key].source_kind,
                published=sources[key].published or "",
                abstract_only=sources[key].abstract_only,
                about=sources[key].card.about,
                **above,
            )
            for place, ((key, start, end), above) in enumerate(zip(chosen, places, strict=True), 1)
        ]
        return passages, sources

    def _source(self, key: str, original: str) -> Source:
        hit = self._hits[key]
        return Source(
            url=hit.url,
            title=hit.title,
            kind=hit.kind,
            content_hash=key,
            site=hit.site,
            source_kind=hit.source_kind,
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            published=hit.published,
            duplicate_of=None if original == key else original,
            snippet_only=hit.snippet_only and not hit.abstract_only,
            abstract_only=hit.abstract_only,
            publication=hit.publication,
            card=hit.card,
            rendered=hit.rendered or None,
            fingerprint=_digests(hit.text)[1],
        ).with_addresses(sorted(self._addresses[key])[:MAX_ADDRESSES])


@lru_cache(maxsize=16)
def _terms_by_passage(text: str) -> dict[tuple[int, int], frozenset[str]]:
    return {(span.start, span.end): frozenset(tokens(text[span.start : span.end])) for span in split(text)}


@lru_cache(maxsize=16)
def _above(text: str) -> tuple[dict[int, Span], Heads]:
    """Return the passages of a text by their starts, and what begins its tables and code."""
    return {span.start: span for span in split(text)}, Heads(text)


def what_begins(text: str, start: int) -> dict[str, str]:
    """Return the fields of a passage for the text above it: its section, and the beginning of its table or code. Blocking."""
    passages, heads = _above(text)
    section = ""
    if passage := passages.get(start):
        heading = text[start : passage.end].partition("\n")[0]
        inside = labelled(passage.section, label_at(text, start))
        section = passage.path(heading.strip("# \t")) if heading.startswith("#") else inside
    return {"section": clean_line(section), "above": clean_line(heads.at(start))}


def _best_passages(query: str, text: str) -> list[HitPassage]:
    """Return the passages of a page that match a query best, in the page's language."""
    spans = split(text)
    terms = tokens(in_both_languages(query, text))
    scores = bm25([tokens(text[span.start : span.end]) for span in spans], terms)
    best = sorted(range(len(spans)), key=lambda place: (-scores[place], place))[:PASSAGES_A_PAGE]
    chosen = [spans[place] for place in best if scores[place] > 0 or place == 0]
    return [HitPassage(start=span.start, end=span.end) for span in chosen]


def _digests(text: str) -> tuple[str, str]:
    """Return the content hash and the fingerprint of a text. The texts themselves, which may be long, are not kept."""
    key = hash(text), len(text)
    known = _known_digests.get(key)
    if known is None:
        if len(_known_digests) >= MAX_KNOWN:
            _known_digests.clear()
        known = _known_digests[key] = content_hash(text), fingerprint(text)
    return known
