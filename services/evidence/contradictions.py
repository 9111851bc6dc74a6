"""Where excerpts contradict or confirm each other, as far as code can see: figures, dates, a denial, opposite words; and which sources are copies, settled by their texts.

An independent source confirms a figure if it gives the same number of the same thing, in words of its own. Independent is what somebody
else publishes: another owner, no copy, not the same words. What a program computed from sources confirms none.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product

from schemas.evidence import Contradiction, Difference, Excerpt, Source, root_of
from schemas.state import ResearchState
from services.check.compared_text import ComparedText, Figure, conflicting, name_parts, read
from services.check.numbers import equal
from services.check.suspicions import nearest_clause
from services.evidence.citable_excerpts import all_excerpts, cited_evidence, with_each, with_places
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.search.source_kinds import owner_of
from services.text.copies import is_copy, may_overlap
from services.text.measures import MEASURED_KINDS, Measure, measures
from services.text.passages import sentences
from services.text.polarity import negated, opposite
from services.text.quotable import URL, linked_words
from services.text.quote_location import locate
from services.text.tokens import has_cjk, tokens


def check_contradiction(
    named: Contradiction, excerpts: Mapping[str, Excerpt], sources: Mapping[str, Source]
) -> Contradiction | None:
    """Check a contradiction that was named: of two excerpts or more, or of two sentences of one.

    `differs` of the named contradiction is ignored.

    Returns:
        The contradiction with the excerpts that are its sides, and in `differs` what code sees them differ in (empty where
        it sees nothing); None where there are no two sides: excerpts that do not exist, quote the same place, come from
        copies of one source, or have no term in common. Two places of one source can contradict each other.
    """
    known = [excerpts[key] for key in dict.fromkeys(named.excerpt_ids) if key in excerpts]
    if len(known) == len({*named.excerpt_ids}) == 1:
        return named.model_copy(update={"excerpt_ids": [known[0].id], "differs": difference_within(known[0].quote)})
    sides: list[Excerpt] = []
    for side in known:
        if not any(_one_place(side, other, sources) for other in sides):
            sides.append(side)
    pairs = [(first, other) for first, other in combinations(sides, 2) if _share_a_term(first.quote, other.quote)]
    if not pairs:
        return None
    sides = [side for side in sides if any(side in pair for pair in pairs)]
    differs = next((kind for first, other in pairs if (kind := difference(first.quote, other.quote))), "")
    return named.model_copy(update={"excerpt_ids": [side.id for side in sides], "differs": differs})


def _share_a_term(first: str, other: str) -> bool:
    """Tell whether two quotes have a term in common, or are in different scripts."""
    return has_cjk(first) != has_cjk(other) or bool(set(tokens(first)) & set(tokens(other)))


def _one_place(first: Excerpt, other: Excerpt, sources: Mapping[str, Source]) -> bool:
    """Tell whether two excerpts quote one place: overlapping stretches of one text, copies of it, or the same words."""
    if locate(first.quote, other.quote) or locate(other.quote, first.quote):
        return True
    if first.content_hash == other.content_hash:
        return first.start < other.end and other.start < first.end
    return root_of(first.content_hash, sources) == root_of(other.content_hash, sources)


MAX_EXCERPTS = 400
"""Excerpts that are compared, the first ones."""
MAX_PAIRS = 2_000
"""Pairs with a number in common that are compared."""
MAX_CONFIRMING = 5
"""Excerpts that are named as confirming one."""
_NO_WITNESS = frozenset({"computation"})


def confirmations(excerpts: Sequence[Excerpt], sources: Mapping[str, Source]) -> dict[str, list[str]]:
    """Return the ids of the excerpts that confirm a figure of another, by the other's id. Blocking.

    Excerpts of sources that are not given are left out.
    """
    known = (_Statement(excerpt, sources) for excerpt in excerpts if excerpt.content_hash in sources)
    witnesses = (statement for statement in known if statement.source.kind not in _NO_WITNESS and statement.figures)
    statements = list(islice(witnesses, MAX_EXCERPTS))
    confirming: dict[str, list[str]] = {}
    for first, second in islice(_pairs_with_equal_figures(statements), MAX_PAIRS):
        if first.independent_of(second) and agreement(first.excerpt.quote, second.excerpt.quote):
            confirming.setdefault(first.excerpt.id, []).append(second.excerpt.id)
            confirming.setdefault(second.excerpt.id, []).append(first.excerpt.id)
    return {key: ids[:MAX_CONFIRMING] for key, ids in confirming.items()}


async def settled(state: ResearchState, evidence: EvidenceStore) -> ResearchState:
    """Return the state with pages and headings of its excerpts, merged copies of texts, and figures that independent sources confirm."""
    state = await with_places(state, evidence)
    sources = await settled_copies(state["sources"], cited_evidence(state), evidence)
    confirming = await asyncio.to_thread(confirmations, all_excerpts(state), sources)
    return with_each(
        {**state, "sources": sources},
        lambda excerpt: excerpt.model_copy(update={"confirmed_by": confirming.get(excerpt.id, [])}),
    )


@dataclass(frozen=True, eq=False)
class _Statement:
    """An excerpt and who says it."""

    excerpt: Excerpt
    sources: Mapping[str, Source]

    @property
    def source(self) -> Source:
        return self.sources[self.excerpt.content_hash]

    @cached_property
    def figures(self) -> dict[str, list[Measure]]:
        """Its numbers that count something, by what they count."""
        kinds: dict[str, list[Measure]] = {}
        for measure in measures(_without_addresses(self.excerpt.quote)):
            if measure.kind:
                kinds.setdefault(measure.kind, []).append(measure)
        return kinds

    def independent_of(self, other: "_Statement") -> bool:
        """Tell whether two excerpts are of two owners, of whom neither copies the other."""
        if owner_of(self.source.url, self.source.kind) == owner_of(other.source.url, other.source.kind):
            return False
        if root_of(self.excerpt.content_hash, self.sources) == root_of(other.excerpt.content_hash, self.sources):
            return False
        if may_overlap(self.source.fingerprint, other.source.fingerprint):
            return False  # two articles made of one release, though each has something of its own
        mine, theirs = self.excerpt.quote, other.excerpt.quote
        return not locate(mine, theirs) and not locate(theirs, mine)


def _pairs_with_equal_figures(statements: Sequence[_Statement]) -> Iterator[tuple[_Statement, _Statement]]:
    for first, second in combinations(statements, 2):
        if first.excerpt.content_hash != second.excerpt.content_hash and any(
            figure.agrees(candidate)
            for kind in first.figures.keys() & second.figures.keys()
            for figure in first.figures[kind]
            for candidate in second.figures[kind]
        ):
            yield first, second


def _without_addresses(text: str) -> str:
    """Return a text without addresses of links and pictures, whose digits are no figures."""
    return URL.sub("", linked_words(text))


MAX_FIGURES = 60
"""Figures of an excerpt that are compared."""


def difference(first: str, other: str) -> Difference:
    """Return what two excerpts differ in; empty where code sees no difference."""
    left, right = (read(_without_addresses(text)) for text in (first, other))
    for mine, theirs in _of_one_thing(left, right):
        if not equal(mine.measure, theirs.measure) and not _gives(left, theirs) and not _gives(right, mine):
            return "numbers"
    if has_cjk(first) != has_cjk(other):
        return ""
    for clause in left.clauses:
        counterpart = nearest_clause(clause, [right])
        if counterpart and negated(counterpart) is not negated(clause):
            return "negation"
        if counterpart and (opposite(clause, counterpart) or opposite(counterpart, clause)):
            return "opposites"
    return "dates" if _other_years(left, right) else ""


def difference_within(text: str) -> Difference:
    """Return whether two sentences of an excerpt give one thing different figures; a denial beside another sentence is no disagreement."""
    parts = [text[span.start : span.end] for span in sentences(text)]
    return "numbers" if any(difference(first, other) == "numbers" for first, other in combinations(parts, 2)) else ""


def agreement(first: str, other: str) -> bool:
    """Tell whether two excerpts give one thing the same figure."""
    left, right = (read(_without_addresses(text)) for text in (first, other))
    kinds = {figure.measure.kind for figure in (*left.figures, *right.figures)} & MEASURED_KINDS
    compared = kinds - {"time"} or kinds  # a time beside other figures says when or how long they were measured
    return not difference(first, other) and any(
        mine.measure.kind in compared and equal(mine.measure, theirs.measure)
        for mine, theirs in _of_one_thing(left, right)
    )


def _of_one_thing(left: ComparedText, right: ComparedText) -> Iterator[tuple[Figure, Figure]]:
    """Yield the pairs of figures of one kind, period and subject in contexts with mostly the same words."""
    for mine, theirs in product(left.figures[:MAX_FIGURES], right.figures[:MAX_FIGURES]):
        if (
            mine.measure.kind == theirs.measure.kind
            and not conflicting(mine.periods, theirs.periods)
            and not _other_names(mine, theirs)
            and _alike(mine, theirs)
        ):
            yield mine, theirs


def _other_names(mine: Figure, theirs: Figure) -> bool:
    left, right = name_parts(mine.subjects), name_parts(theirs.subjects)
    return bool(left and right) and not left & right


def _alike(mine: Figure, theirs: Figure) -> bool:
    """Tell whether one context has all words of the other; of contexts in two languages, whether they share a name."""
    if mine.chinese is not theirs.chinese:
        return bool(name_parts(mine.subjects) & name_parts(theirs.subjects))
    left, right = mine.clause or mine.words, theirs.clause or theirs.words
    common, smaller = len(left & right), min(len(left), len(right))
    return 0 < common == smaller


def _gives(reading: ComparedText, figure: Figure) -> bool:
    return any(equal(figure.measure, other.measure) for other in reading.figures)


def _other_years(left: ComparedText, right: ComparedText) -> bool:
    """Tell whether two excerpts date one event to different times, in clauses without figures."""
    return any(
        conflicting(mine.periods, theirs.periods) and _alike(mine, theirs) and not _other_names(mine, theirs)
        for mine, theirs in product(left.years[:MAX_FIGURES], right.years[:MAX_FIGURES])
        if mine.clause
        and theirs.clause
        and all(conflicting(year.periods, mine.periods) for year in right.years)
        and all(conflicting(year.periods, theirs.periods) for year in left.years)
    )


async def settled_copies(
    sources: Mapping[str, Source], excerpts: Sequence[Excerpt], evidence: EvidenceStore
) -> dict[str, Source]:
    """Confirm copies among sources: a copy's text must agree with the original's, which must contain the copy's quotes.

    A source that is quoted is the original of those that are not. What cannot be compared, as its text is not in this store,
    is no copy.
    """
    quotes: dict[str, list[str]] = {}
    for excerpt in excerpts:
        quotes.setdefault(excerpt.content_hash, []).append(excerpt.quote)
    settled: dict[str, Source] = {}
    originals: list[str] = []
    texts: dict[str, str | None] = {}
    for key in sorted(sources, key=lambda source: (source not in quotes, sources[source].duplicate_of is not None)):
        source, original = sources[key], None
        for candidate in originals:
            if not _may_be_copies(key, candidate, sources):
                continue
            text, other = await _text(key, texts, evidence), await _text(candidate, texts, evidence)
            if text is None or other is None:
                continue
            if await asyncio.to_thread(_holds, text, other, quotes.get(key, [])):
                original = candidate
                break
        if original is None:
            originals.append(key)
        settled[key] = source.model_copy(update={"duplicate_of": original})
    return {key: settled[key] for key in sources}


def _may_be_copies(key: str, candidate: str, sources: Mapping[str, Source]) -> bool:
    """Tell whether two sources may be copies: by what a search said of them, or by their signatures."""
    same = root_of(key, sources) == root_of(candidate, sources)
    return same or may_overlap(sources[key].fingerprint, sources[candidate].fingerprint)


def _holds(text: str, original: str, quotes: Sequence[str]) -> bool:
    return is_copy(text, original) and all(locate(quote, original) for quote in quotes)


async def _text(key: str, texts: dict[str, str | None], evidence: EvidenceStore) -> str | None:
    if key not in texts:
        try:
            texts[key] = await evidence.get_text(key)
        except StoreError:
            texts[key] = None
    return texts[key]
