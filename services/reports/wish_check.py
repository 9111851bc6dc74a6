"""Checks a report against the wishes that its run has for it, where code can tell for certain: form, length, language, dates, sites."""

from collections.abc import Iterator, Sequence

from schemas.context import RunContext
from schemas.document import Block, Code, Heading, Listing, Quotation, Table
from schemas.evidence import Source
from schemas.wishes import Form
from services.reports.document import letters, words
from services.reports.length import Length
from services.reports.rendering import to_draft
from services.run.ui_text import say
from services.search.web import filters_of
from services.text.languages import is_written_in, locale_of
from services.text.word_count import words_in

MIN_WORDS = 40
"""Words of a text below which its language is not told."""
NAMED = 5
"""Sources that a message names."""


def unmet_wishes(blocks: Sequence[Block], context: RunContext, locale: str, *, translated: bool = False) -> list[str]:
    """Return what a draft lacks of the wished form, length and language, in the reader's language.

    Args:
        blocks: the draft.
        context: choices of the run, with the wishes of its question.
        locale: locale of the report.
        translated: whether the question asks for another language than its own, in which columns have other names.
    """
    return [
        *_form(blocks, context.wishes, locale, translated=translated),
        *_length(blocks, context, locale),
        *_written(blocks, context, locale),
    ]


def _form(blocks: Sequence[Block], wishes: Form, locale: str, *, translated: bool) -> Iterator[str]:
    below = [block for block in blocks if not isinstance(block, Heading)]
    tables = [block for block in below if isinstance(block, Table)]
    if wishes.shape == "list" and not all(isinstance(block, Listing) for block in below):
        yield say("unmet_list", locale)
    if wishes.shape in {"table", "json"} and not tables:
        yield say(f"unmet_{wishes.shape}", locale)
    elif wishes.columns and tables and not translated:
        heads = [letters(words(cell)).casefold() for table in tables for cell in table.header]
        lacking = [column for column in wishes.columns if not _among(heads, letters(column).casefold())]
        if lacking:
            yield say("unmet_columns", locale, columns=", ".join(lacking))


def _among(heads: Sequence[str], column: str) -> bool:
    return any(head and (column in head or head in column) for head in heads)


def _length(blocks: Sequence[Block], context: RunContext, locale: str) -> Iterator[str]:
    text = to_draft([block for block in blocks if not isinstance(block, Code)])
    wanted = context.words or 0
    if wanted and Length(wanted, wanted, wanted).missed(text, chosen=True, at_most=context.wishes.at_most):
        yield say("words_missed", locale, written=words_in(text), wanted=wanted)


def _written(blocks: Sequence[Block], context: RunContext, locale: str) -> Iterator[str]:
    own = to_draft([block for block in blocks if not isinstance(block, Code | Quotation)])
    if context.locale != "auto" and words_in(own) >= MIN_WORDS and not is_written_in(own, locale):
        yield say("unmet_language", locale, wanted=locale, found=locale_of(own))


def unmet_by_sources(sources: Sequence[Source], context: RunContext, locale: str) -> list[str]:
    """Return which cited sources are of other sites or dates than wished for, and how many tell no date."""
    filters, wishes = filters_of(context), context.wishes
    told = [source for source in sources if source.kind in {"web", "document"}]
    only = ", ".join(context.include_domains)
    span = "–".join([wishes.after or "…", wishes.before or "…"]) if wishes.after or wishes.before else ""
    late = [source for source in told if span and not filters.in_time(source.published)]
    undated = sum(not source.published for source in told) if span else 0
    outside = [source for source in told if only and (source.kind != "web" or not filters.permit(source.url))]
    return [
        *([say("unmet_dates", locale, span=span, sources=_named(late))] if late else []),
        *([say("undated", locale, span=span, count=undated)] if undated else []),
        *([say("unmet_sites", locale, sites=only, sources=_named(outside))] if outside else []),
    ]


def _named(sources: Sequence[Source]) -> str:
    titles = [source.title or source.url for source in sources]
    return "; ".join([*titles[:NAMED], *(["…"] if len(titles) > NAMED else [])])
