"""What a report is to be, and whether it is: its length, and the form, language, dates and sites that its question asks for, as far as code can tell."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schemas.context import RunContext
from schemas.document import Block, Code, Heading, Inlines, Listing, Quotation, Table
from schemas.evidence import Source
from schemas.wishes import Form
from services.reports.document import letters, words
from services.reports.rendering import to_draft
from services.run.ui_text import say
from services.search.web import filters_of
from services.text.languages import is_written_in, locale_of
from services.text.length import words_in

WORDS_A_STEP, MIN_FULL = 700, 3_000
"""Words of a `full` report for each step with findings, and its minimum."""
SECTIONS_FROM, FORCED_FROM = 800, 2_000
"""Requested words from which a report is written in sections: if the evidence suffices, and in any case."""
BORNE, MOST_BORNE = 2, 4
"""Words of a report for each quotable word, and the maximum, if the user set no number."""
ONE_CALL_WORDS = 5_000
"""Words up to which one call writes a whole report; a model that gives shorter answers is cut off, and writes in sections."""
MIN_SECTION = 120
"""Minimum words of a section."""
NEAR = 0.2
"""Permitted deviation from a requested number of words, as a share."""
MIN_WORDS = 40
"""Words of a text below which its language is not told."""
NAMED = 5
"""Sources that a message names."""
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")


@dataclass(frozen=True, slots=True)
class Length:
    """Target length of a report."""

    words: int
    """Target number of words."""
    fewest: int
    """Minimum number of words: a clearly shorter text is continued with unused evidence."""
    promised: int = 0
    """Number of words that the run or its depth promises; a report that misses it says so. 0: none."""

    def missed(self, text: str) -> bool:
        """Tell whether a text has clearly fewer words than promised."""
        return words_in(text) < (1 - NEAR) * self.promised


def length_of(context: RunContext, quoted: int, steps: int) -> Length:
    """Return the target length of a report in sections, by the words of all shown evidence and the number of steps with findings.

    Of the run's choices `words` and `length` override the depth.
    """
    if context.words is not None:
        return Length(context.words, context.words, context.words)
    fewest, max_words = context.level.words
    if context.length == "full":
        fewest = max(fewest, MIN_FULL, WORDS_A_STEP * steps)
        return Length(max(fewest, min(BORNE * quoted, max_words or BORNE * quoted)), fewest, fewest)
    words = max(fewest, BORNE * quoted)
    words = min(words, max_words or words, max(MIN_SECTION, MOST_BORNE * quoted))
    return Length(words, min(fewest, words), fewest if context.level.wide else 0)


def shared_out(words: int, evidence: Sequence[int]) -> list[int]:
    """Distribute words in proportion to the words of each section's evidence."""
    total = sum(evidence) or 1
    return [max(MIN_SECTION, round(words * part / total)) for part in evidence]


def unmet_wishes(blocks: Sequence[Block], context: RunContext, locale: str, *, translated: bool = False) -> list[str]:
    """Return what a draft lacks of the wished form, length and language, in the reader's language.

    If it is `translated` into another language than the question's, its columns may have other names.
    """
    form = _form(blocks, context.wishes, locale, translated=translated)
    return [*form, *unmet_length(blocks, context, locale), *_written(blocks, context, locale)]


def _form(blocks: Sequence[Block], wishes: Form, locale: str, *, translated: bool) -> Iterator[str]:
    below = [block for block in blocks if not isinstance(block, Heading)]
    tables = [block for block in below if isinstance(block, Table)]
    if wishes.shape == "list" and not all(isinstance(block, Listing) for block in below):
        yield say("unmet_list", locale)
    if wishes.shape in {"table", "json"} and not tables:
        yield say(f"unmet_{wishes.shape}", locale)
    elif wishes.columns and tables and not translated:
        heads = [letters(words(cell)).casefold() for table in tables for cell in table.header]
        lacking = []
        for column in wishes.columns:
            name = letters(column).casefold()
            if not any(head and (name in head or head in name) for head in heads):
                lacking.append(column)
        if lacking:
            yield say("unmet_columns", locale, columns=", ".join(lacking))


def unmet_length(blocks: Sequence[Block], context: RunContext, locale: str) -> list[str]:
    """Return the note that a report has clearly more or fewer words than the chosen number, if it has."""
    wanted = context.words
    written = words_in(to_draft([block for block in blocks if not isinstance(block, Code)]))
    fewest = 0 if context.wishes.at_most else (1 - NEAR) * (wanted or 0)
    if wanted is None or fewest <= written <= (1 + NEAR) * wanted:
        return []
    return [say("words_missed", locale, written=written, wanted=wanted)]


def _written(blocks: Sequence[Block], context: RunContext, locale: str) -> Iterator[str]:
    own = to_draft([block for block in blocks if not isinstance(block, Code | Quotation)])
    if context.locale != "auto" and words_in(own) >= MIN_WORDS and not is_written_in(own, locale):
        yield say("unmet_language", locale, wanted=locale, found=locale_of(own))


def unmet_by_sources(sources: Sequence[Source], context: RunContext, locale: str) -> list[str]:
    """Return which cited sources are of other sites or dates than wished for, and how many have no date."""
    filters, wishes = filters_of(context), context.wishes
    datable = [source for source in sources if source.kind in {"web", "document"}]
    only = ", ".join(context.include_domains)
    span = "–".join([wishes.after or "…", wishes.before or "…"]) if wishes.after or wishes.before else ""
    unmet = []
    if late := [source for source in datable if span and not filters.in_time(source.published)]:
        unmet.append(say("unmet_dates", locale, span=span, sources=_named(late)))
    if span and (undated := sum(not source.published for source in datable)):
        unmet.append(say("undated", locale, span=span, count=undated))
    outside = [source for source in datable if only and (source.kind != "web" or not filters.permit(source.url))]
    if outside:
        unmet.append(say("unmet_sites", locale, sites=only, sources=_named(outside)))
    return unmet


def _named(sources: Sequence[Source]) -> str:
    titles = [source.title or source.url for source in sources]
    return "; ".join([*titles[:NAMED], *(["…"] if len(titles) > NAMED else [])])


def with_json(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return a report with the rows of its tables as JSON below its title, in place of JSON that stands there.

    The tables stay below it: they have the citations.
    """
    tables = [block for block in blocks if isinstance(block, Table)]
    prose = [block for block in blocks if not (isinstance(block, Code) and block.language == "json")]
    if not tables:
        return tuple(prose)
    rows: list[dict[str, str | int | float]] = []
    for table in tables:
        keys = [words(cell) or f"column {number}" for number, cell in enumerate(table.header, 1)]
        rows += [dict(zip(keys, map(_value, row), strict=False)) for row in table.rows]
    title = 1 if prose and isinstance(prose[0], Heading) else 0
    return (*prose[:title], Code(json.dumps(rows, ensure_ascii=False, indent=2), "json"), *prose[title:])


def _value(cell: Inlines) -> str | int | float:
    text = words(cell)
    return json.loads(text) if _NUMBER.fullmatch(text) else text
