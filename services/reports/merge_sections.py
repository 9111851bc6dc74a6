"""Joining sections that were written side by side: repetitions go, terms become one, and what answers stands first."""

import re
from collections.abc import Sequence

from schemas.evidence import EXCERPT_ID
from schemas.reporter_joining import Joining, Paragraph, SectionText, TermChange
from services.reports.labels import Labels

PARAGRAPHS_PER_DROPPED = 4
"""At most one paragraph in four is dropped as a repetition."""
_CITATION = re.compile(rf"\[{EXCERPT_ID}\]")
_TERM_LENGTH = 60


def number_paragraphs(sections: Sequence[tuple[str, str]]) -> list[SectionText]:
    """Number the paragraphs of sections throughout; a paragraph that another one repeats word for word is left out.

    Args:
        sections: title and Markdown.
    """
    seen: set[str] = set()
    texts: list[SectionText] = []
    number = 0
    for title, markdown in sections:
        paragraphs: list[Paragraph] = []
        for block in _blocks(markdown):
            words = " ".join(_CITATION.sub("", block).split())
            if words in seen and not block.lstrip().startswith("#"):
                continue
            seen.add(words)
            number += 1
            paragraphs.append(Paragraph(number=number, text=block))
        texts.append(SectionText(title=title, paragraphs=paragraphs))
    return texts


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
    parts = [f"# {joining.title.strip()}", f"**TL;DR** {joining.summary.strip()}"]
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
