"""Joining sections that were written side by side: repetitions go, terms become one, and what answers stands first."""

import re
from collections.abc import Callable, Sequence

from schemas.evidence import EXCERPT_ID
from schemas.reporter_joining import Joining, Paragraph, SectionText, TermChange
from services.evidence.model_markdown import join_sentences, restore_citations, sentences_of, with_marks
from services.reports.labels import Labels
from services.text.tokens import tokens

PARAGRAPHS_PER_DROPPED = 4
"""At most one paragraph in four is dropped as a repetition."""
MIN_REPEATED = 5
"""Terms of a sentence from which on it is left out where another one has said it in the same words."""
MAX_SHOWN = 40_000
"""Characters of sections that the joining model is shown; of longer sections it sees the beginning of each paragraph."""
MIN_SHOWN = 120
"""Characters of a paragraph that are shown at least."""
_CITATION = re.compile(rf"\[{EXCERPT_ID}\]")
_TERM_LENGTH = 60
_NO_PROSE = ("#", ">", "|", "`", "~", "-", "*", "+", "$")


def number_paragraphs(sections: Sequence[tuple[str, str]]) -> list[SectionText]:
    """Number the paragraphs of sections throughout, without paragraphs and sentences that an earlier one has said in the same words.

    Args:
        sections: title and Markdown.
    """
    seen: set[str] = set()
    said: set[tuple[str, ...]] = set()
    texts: list[SectionText] = []
    number = 0
    for title, markdown in sections:
        paragraphs: list[Paragraph] = []
        for block in _blocks(markdown):
            words = " ".join(_CITATION.sub("", block).split())
            if words in seen and not block.lstrip().startswith("#"):
                continue
            seen.add(words)
            text = _said_once(block, said)
            if text:
                number += 1
                paragraphs.append(Paragraph(number=number, text=text))
        texts.append(SectionText(title=title, paragraphs=paragraphs))
    return texts


def _said_once(block: str, said: set[tuple[str, ...]]) -> str:
    """Leave out the sentences of a paragraph that were said before; what is no plain paragraph stays as it is."""
    if block.lstrip().startswith(_NO_PROSE) or "\n" in block.strip():
        return block
    sentences = sentences_of(with_marks(block))
    kept: list[str] = []
    for sentence in sentences:
        words = tuple(tokens(_CITATION.sub("", restore_citations(sentence))))
        if len(words) < MIN_REPEATED or words not in said:
            kept.append(sentence)
        said.add(words)
    return block if len(kept) == len(sentences) else restore_citations(join_sentences(kept))


def shortened(sections: Sequence[SectionText]) -> list[SectionText]:
    """Return sections as the joining model sees them: of long reports the beginning of each paragraph."""
    count = sum(len(section.paragraphs) for section in sections)
    total = sum(len(paragraph.text) for section in sections for paragraph in section.paragraphs)
    if total <= MAX_SHOWN:
        return list(sections)
    most = max(MIN_SHOWN, MAX_SHOWN // count)
    return with_texts(sections, lambda text: _beginning(text, most))


def with_texts(sections: Sequence[SectionText], change: Callable[[str], str]) -> list[SectionText]:
    """Return sections with a change made to the text of each paragraph."""
    return [
        SectionText(
            title=section.title,
            paragraphs=[Paragraph(number=each.number, text=change(each.text)) for each in section.paragraphs],
        )
        for section in sections
    ]


def _beginning(text: str, most: int) -> str:
    """Return the sentences that fit, at least one, with all citations of a first sentence that is cut."""
    if len(text) <= most:
        return text
    kept: list[str] = []
    for sentence in sentences_of(with_marks(text)):
        if kept and sum(map(len, kept)) + len(sentence) > most:
            break
        kept.append(sentence)
    return restore_citations(join_sentences(kept))


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
    """Return the whole report as Markdown, with what answers first.

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
    """Write terms alike, except in quotes, code and citations."""
    if text.lstrip().startswith((">", "```", "~~~")):
        return text
    for change in changes:
        old, new = change.written.strip(), change.instead.strip()
        if not old or not new or re.search(r"[\d\[\]|#>*`]", old + new) or max(len(old), len(new)) > _TERM_LENGTH:
            continue
        edge = r"\b" if old.isascii() else ""
        text = re.sub(f"{edge}{re.escape(old)}{edge}", new.replace("\\", ""), text)
    return text
