"""Normalises the citations of a text to ids: other notations, and numbers of excerpts or sources."""

from collections.abc import Mapping, Sequence

from schemas.evidence import Excerpt
from schemas.evidence_view import EvidenceView
from services.evidence.citation_forms import (
    cites_ids,
    numbers_cited,
    plain_citations,
    with_definitions_read,
    with_numbers,
)
from services.reports.checking.citations import check_citations
from services.reports.statuses import sure_claims


def read_citations(markdown: str, shown: Sequence[EvidenceView], *, question: str = "", locale: str = "en-US") -> str:
    """Write every citation of a model's text as `[E2-1]`.

    Numbers (`[2]`) are read where a list in the text defines them, or where the text cites no id and they can mean the excerpts
    or the sources in the order in which they were shown: whichever proves more sentences, if it proves any. Else they stay.

    Args:
        markdown: the model's text.
        shown: the evidence in the model's prompt, in order.
        question: question of the report.
        locale: locale of the report.
    """
    plain = with_definitions_read(plain_citations(markdown, {view.id for view in shown}))
    numbers = numbers_cited(plain)
    if not numbers or cites_ids(plain):
        return plain
    excerpts = {
        view.id: Excerpt(id=view.id, content_hash=_source(view), quote=view.quote, start=0, end=len(view.quote))
        for view in shown
    }
    titles = {_source(view): "\n".join(filter(None, [view.title, view.about])) for view in shown}
    published = {_source(view): view.published for view in shown}

    def proven(text: str) -> int:
        checked = check_citations(text, excerpts, titles=titles, published=published, question=question, locale=locale)
        return sure_claims(checked.claims)

    readings = [with_numbers(plain, meaning) for meaning in _meanings(shown) if numbers <= meaning.keys()]
    best = max([*readings, plain], key=proven) if readings else plain
    return best if best is plain or proven(best) else plain


def _source(view: EvidenceView) -> str:
    """Return what tells the source of an excerpt from others: two may have one title."""
    return f"{view.title} ({view.site}, {view.published}, {view.about})"


def _meanings(shown: Sequence[EvidenceView]) -> list[Mapping[int, list[str]]]:
    """Return the possible meanings of numbers: excerpts, or sources with all of their quotes."""
    by_source: dict[str, list[str]] = {}
    for view in shown:
        by_source.setdefault(_source(view), []).append(view.id)
    return [
        {number: [view.id] for number, view in enumerate(shown, 1)},
        dict(enumerate(by_source.values(), 1)),
    ]
