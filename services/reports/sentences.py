"""Splits a paragraph into sentences, each with the citations in it or after it."""

from collections.abc import Iterator
from dataclasses import dataclass

from services.reports.document import Citation, Inline, Inlines, Mark, Text, words
from services.text.passages import sentences


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence."""

    text: str
    citations: tuple[Citation, ...]
    mark: Mark | None
    """The mark after the sentence in the report."""


def cited_sentences(content: Inlines, *, single: bool = False) -> Iterator[CitedSentence]:
    """Split inlines into sentences.

    Args:
        content: content of a paragraph.
        single: whether to keep the text whole.
    """
    text = ""
    marks: list[tuple[int, Inline]] = []
    for inline in content:
        if isinstance(inline, Citation | Mark):
            text = text.rstrip()
            marks.append((len(text), inline))
        else:
            text += inline.text if isinstance(inline, Text) else f" {words((inline,))} "
    spans = [(0, len(text))] if single else [(sentence.start, sentence.end) for sentence in sentences(text)]
    last = 0
    for place, (start, end) in enumerate(spans or [(0, 0)]):
        final = place >= len(spans) - 1
        inside = [mark for at, mark in marks if (last < at or not place) and (at <= end or final)]
        sentence_text = " ".join(text[start:end].split())
        if sentence_text or inside:
            citations = tuple(mark for mark in inside if isinstance(mark, Citation))
            mark = next((mark for mark in inside if isinstance(mark, Mark)), None)
            yield CitedSentence(sentence_text, citations, mark)
        last = end
