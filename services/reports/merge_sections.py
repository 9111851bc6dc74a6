"""Joins sections that were written in parallel: removes repetitions, unifies terms, and puts the answer first."""

import re
from collections.abc import Callable, Sequence
from itertools import chain

from schemas.document import Paragraph
from schemas.evidence import EXCERPT_ID
from schemas.reporter_joining import Joining, SectionText, TermChange
from schemas.reporter_joining import Paragraph as NumberedParagraph
from services.reports.document import contents
from services.reports.labels import Labels
from services.reports.reading import read_draft
from services.reports.rendering import to_markdown
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
_CITATION = re.compile(rf"\[{EXCERPT_ID}\]")
_TERM_LENGTH = 60
_NO_PROSE = ("#", ">", "|", "`", "~", "-", "*", "+", "$")


def number_paragraphs(sections: Sequence[tuple[str, str]]) -> list[SectionText]:
    """Number the paragraphs of all sections, without paragraphs and sentences that repeat earlier words.

    Args:
        sections: pairs of title and Markdown.
    """
    seen: set[str] = set()
    said: set[tuple[str, ...]] = set()
    texts: list[SectionText] = []
    number = 0
    for title, markdown in sections:
        paragraphs: list[NumberedParagraph] = []
        for block in _blocks(markdown):
            words = " ".join(_CITATION.sub("", block).split())
            if words in seen and not block.lstrip().startswith("#"):
                continue
            seen.add(words)
            text = _said_once(block, said)
            if text:
                number += 1
                paragraphs.append(NumberedParagraph(number=number, text=text))
        texts.append(SectionText(title=title, paragraphs=paragraphs))
    return texts


def _said_once(block: str, said: set[tuple[str, ...]]) -> str:
    """Remove repeated sentences from a plain paragraph; other blocks stay unchanged."""
    if block.lstrip().startswith(_NO_PROSE) or "\n" in block.strip():
        return block
    sentences = _sentences(block)
    kept: list[Units] = []
    for sentence in sentences:
        words = tuple(tokens(words_of(sentence)))
        if len(words) < MIN_REPEATED or words not in said:
            kept.append(sentence)
        said.add(words)
    return block if len(kept) == len(sentences) else to_markdown([Paragraph(join_sentences(kept))])


def _sentences(block: str) -> list[Units]:
    return [
        sentence
        for content in chain.from_iterable(map(contents, read_draft(block)))
        for sentence in sentences_of(units_of(content))
    ]


def shortened(sections: Sequence[SectionText]) -> list[SectionText]:
    """Return sections for the joining model: of long reports, the beginning of each paragraph."""
    count = sum(len(section.paragraphs) for section in sections)
    total = sum(len(paragraph.text) for section in sections for paragraph in section.paragraphs)
    if total <= MAX_SHOWN:
        return list(sections)
    most = max(MIN_SHOWN, MAX_SHOWN // count)
    return with_texts(sections, lambda text: _beginning(text, most))


def with_texts(sections: Sequence[SectionText], change: Callable[[str], str]) -> list[SectionText]:
    """Return sections with the text of each paragraph changed by a function."""
    return [
        SectionText(
            title=section.title,
            paragraphs=[NumberedParagraph(number=each.number, text=change(each.text)) for each in section.paragraphs],
        )
        for section in sections
    ]


def _beginning(text: str, most: int) -> str:
    """Return the sentences that fit, at least the first, if it is cut."""
    if len(text) <= most:
        return text
    kept: list[Units] = []
    for sentence in _sentences(text):
        if kept and sum(map(len, kept)) + len(sentence) > most:
            break
        kept.append(sentence)
    return to_markdown([Paragraph(join_sentences(kept))])


def _blocks(markdown: str) -> list[str]:
    """Split at blank lines, except inside fenced blocks."""
    blocks: list[str] = []
    fenced = False
    for line in markdown.strip().split("\n"):
        if blocks and (fenced or line.strip()):
            blocks[-1] += f"\n{line}" if blocks[-1] else line
        elif line.strip():
            blocks.append(line)
        elif blocks and blocks[-1]:
            blocks.append("")
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
    return [block for block in blocks if block.strip()]


def merge_sections(sections: Sequence[SectionText], joining: Joining, labels: Labels) -> str:
    """Return the whole report as Markdown, with the answer first.

    A section keeps its first paragraph, and few are dropped, whatever the joining says.
    """
    dropped = _dropped(sections, joining.repeated)
    parts = [f"# {joining.title.strip()}"] if joining.title.strip() else []
    parts += [f"**TL;DR** {joining.summary.strip()}"] if joining.summary.strip() else []
    if joining.conclusion.strip():
        parts += [f"## {labels.conclusion}", joining.conclusion.strip()]
    for section in sections:
        texts = [paragraph.text for paragraph in section.paragraphs if paragraph.number not in dropped]
        if texts:
            parts += [f"## {section.title}", *(_with_terms(text, joining.terms) for text in texts)]
    return "\n\n".join(parts)


def _dropped(sections: Sequence[SectionText], repeated: Sequence[int]) -> set[int]:
    first = {section.paragraphs[0].number for section in sections if section.paragraphs}
    count = sum(len(section.paragraphs) for section in sections)
    repeats = [number for number in dict.fromkeys(repeated) if number not in first]
    return set(repeats[: count // PARAGRAPHS_PER_DROPPED])


def _with_terms(text: str, changes: Sequence[TermChange]) -> str:
    """Unify terms, except in quotes, code and citations."""
    if text.lstrip().startswith((">", "```", "~~~")):
        return text
    for change in changes:
        old, new = change.written.strip(), change.instead.strip()
        if not old or not new or re.search(r"[\d\[\]|#>*`]", old + new) or max(len(old), len(new)) > _TERM_LENGTH:
            continue
        edge = r"\b" if old.isascii() else ""
        text = re.sub(f"{edge}{re.escape(old)}{edge}", new.replace("\\", ""), text)
    return text
