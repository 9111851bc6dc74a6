"""The text of a report as its bundle records it: sentence by sentence, so that what was added or changed later can be named."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence

from schemas.document import Block, Code, Display, Heading, Paragraph, Table
from services.reports.document import words
from services.reports.sentences import cited_sentences

_DIGITS = 12


def digests_of(parts: Iterable[Block]) -> list[str]:
    """Return the digests of the sentences, rows, headings and lines of code in the blocks of a report, each once."""
    return list(dict.fromkeys(map(_digest, _sentences(parts))))


def new_sentences(parts: Iterable[Block], recorded: Collection[str]) -> Sequence[str]:
    """Return the sentences in the blocks of a report that are not among the recorded ones."""
    return [text for text in dict.fromkeys(_sentences(parts)) if _digest(text) not in recorded]


def recorded_sentences(parts: Iterable[Block], recorded: Collection[str]) -> Iterator[str]:
    """Yield the sentences in the blocks of a report that are among the recorded ones."""
    return (text for text in _sentences(parts) if _digest(text) in recorded)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _sentences(parts: Iterable[Block]) -> Iterator[str]:
    for part in parts:
        match part:
            case Heading(content=content) | Paragraph(content=content):
                yield from (sentence.text for sentence in cited_sentences(content) if sentence.text)
            case Table(header=header, rows=rows):
                yield from (" | ".join(map(words, row)) for row in (header, *rows))
            case Code(text=text) | Display(latex=text):
                yield from filter(str.strip, text.splitlines())
