"""Joins sections that were written in parallel: removes repetitions, unifies terms, and puts the answer first."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from schemas.document import Block, Citation, Code, Heading, Inlines, Paragraph, Quotation, Text
from schemas.evidence import Excerpt
from schemas.reporter_joining import Joining, SectionText, TermChange
from schemas.reporter_joining import Paragraph as NumberedParagraph
from services.reports.citation_forms import inferences_in_words
from services.reports.document import changed
from services.reports.labels import Labels
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft
from services.reports.sentences import Units, join_sentences, sentences_of, units_of, words_of
from services.text.tokens import tokens

PARAGRAPHS_PER_DROPPED = 4
"""Divisor of paragraphs: at most one in four is dropped as a repetition."""
MIN_REPEATED = 5
"""Minimum terms of a sentence that is dropped if an earlier one has the same words."""
MAX_SHOWN = 40_000
"""Maximum characters of sections shown to the joining model; of longer sections, it sees each paragraph's beginning."""
MIN_SHOWN = 120
"""Minimum characters shown of a paragraph."""
_TERM_LENGTH = 60


@dataclass(frozen=True, slots=True)
class WrittenSection:
    """A section as it was written."""

    title: str
    paragraphs: dict[int, Block] = field(default_factory=dict)
    """Its blocks by their numbers in the report."""


def number_paragraphs(sections: Sequence[tuple[str, str]], excerpts: Mapping[str, Excerpt]) -> list[WrittenSection]:
    """Number the paragraphs of sections, pairs of title and Markdown, without paragraphs and sentences that repeat earlier words."""
    seen: set[Block] = set()
    earlier: set[tuple[str, ...]] = set()
    numbered: list[WrittenSection] = []
    number = 0
    for title, markdown in sections:
        numbered.append(WrittenSection(title))
        for block in read_draft(markdown, excerpts):
            bare = changed(block, _uncited)
            if bare in seen and not isinstance(block, Heading):
                continue
            seen.add(bare)
            if (left := _without_repeated(block, earlier)) is not None:
                number += 1
                numbered[-1].paragraphs[number] = left
    return numbered


def _uncited(content: Inlines) -> Inlines:
    return (Text(words_of(inline for inline in content if not isinstance(inline, Citation))),)


def _without_repeated(block: Block, earlier: set[tuple[str, ...]]) -> Block | None:
    if not isinstance(block, Paragraph):
        return block
    sentences = sentences_of(units_of(block.content))
    new: list[Units] = []
    for sentence in sentences:
        words = tuple(tokens(words_of(sentence)))
        if len(words) < MIN_REPEATED or words not in earlier:
            new.append(sentence)
        earlier.add(words)
    return block if len(new) == len(sentences) else Paragraph(join_sentences(new)) if new else None


def shown_sections(sections: Sequence[WrittenSection]) -> list[SectionText]:
    """Return sections for the joining model: of long reports, the beginning of each paragraph."""
    blocks = [block for section in sections for block in section.paragraphs.values()]
    total = sum(len(to_draft([block])) for block in blocks)
    max_chars = total if total <= MAX_SHOWN else max(MIN_SHOWN, MAX_SHOWN // len(blocks))
    shown: list[SectionText] = []
    for section in sections:
        texts = {number: _beginning(block, max_chars) for number, block in section.paragraphs.items()}
        numbered = [NumberedParagraph(number=key, text=inferences_in_words(text)) for key, text in texts.items()]
        shown.append(SectionText(title=section.title, paragraphs=numbered))
    return shown


def _beginning(block: Block, max_chars: int) -> str:
    """Return the sentences of a paragraph that fit, at least the first, or the lines of another block."""
    text = to_draft([block])
    if len(text) <= max_chars:
        return text
    if not isinstance(block, Paragraph):
        return text[:max_chars].rpartition("\n")[0] or text[:max_chars]
    beginning: list[Units] = []
    for sentence in sentences_of(units_of(block.content)):
        if beginning and sum(map(len, beginning)) + len(sentence) > max_chars:
            break
        beginning.append(sentence)
    return to_draft([Paragraph(join_sentences(beginning))])


def merge_sections(
    sections: Sequence[WrittenSection], joining: Joining, labels: Labels, excerpts: Mapping[str, Excerpt]
) -> tuple[Block, ...]:
    """Return the blocks of the whole report, with the answer first.

    A section keeps its first paragraph, and few are dropped, whatever the joining says.
    """
    first = {min(section.paragraphs) for section in sections if section.paragraphs}
    repeated = [number for number in dict.fromkeys(joining.repeated) if number not in first]
    dropped = repeated[: sum(len(section.paragraphs) for section in sections) // PARAGRAPHS_PER_DROPPED]
    title, summary, conclusion = joining.title.strip(), joining.summary.strip(), joining.conclusion.strip()
    opening = [f"# {title}"] if title else []
    opening += [f"**TL;DR** {summary}"] if summary else []
    opening += [f"## {labels.conclusion}\n\n{conclusion}"] if conclusion else []
    blocks = [*read_draft("\n\n".join(opening), excerpts)]
    for section in sections:
        remaining = [block for number, block in section.paragraphs.items() if number not in dropped]
        if remaining:
            blocks += [Heading(2, (Text(section.title),)), *(_with_terms(block, joining.terms) for block in remaining)]
    return tuple(blocks)


def _with_terms(block: Block, changes: Sequence[TermChange]) -> Block:
    """Unify terms, except in quotes, code and citations."""
    if isinstance(block, Quotation | Code):
        return block
    for change in changes:
        old, new = change.written.strip(), change.instead.strip()
        if not old or not new or re.search(r"[\d\[\]|#>*`]", old + new) or max(len(old), len(new)) > _TERM_LENGTH:
            continue
        edge = r"\b" if old.isascii() else ""
        term = re.compile(f"{edge}{re.escape(old)}{edge}")
        block = changed(block, partial(_renamed, term=term, new=new))
    return block


def _renamed(content: Inlines, term: re.Pattern[str], new: str) -> Inlines:
    return tuple(
        replace(inline, text=term.sub(lambda _: new, inline.text))
        if isinstance(inline, Text) and "code" not in inline.styles
        else inline
        for inline in content
    )
