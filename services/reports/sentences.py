"""A paragraph cut into its sentences, each with the citations that stand in it or behind it."""

from collections.abc import Iterator
from dataclasses import dataclass

from services.reports.document import Citation, Inline, Inlines, Text, Unverified, words
from services.text.passages import sentences


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence."""

    text: str
    citations: tuple[Citation, ...]
    unverified: bool
    """Whether the report itself marks it."""


def cited_sentences(content: Inlines, *, single: bool = False) -> Iterator[CitedSentence]:
    """Cut inlines into sentences.

    Args:
        content: a paragraph's.
        single: leave the text whole.
    """
    text = ""
    marks: list[tuple[int, Inline]] = []
    for one in content:
        if isinstance(one, Citation | Unverified):
            text = text.rstrip()
            marks.append((len(text), one))
        else:
            text += one.text if isinstance(one, Text) else f" {words((one,))} "
    spans = [(0, len(text))] if single else [(sentence.start, sentence.end) for sentence in sentences(text)]
    last = 0
    for place, (start, end) in enumerate(spans or [(0, 0)]):
        final = place >= len(spans) - 1
        near = [mark for at, mark in marks if (last < at or not place) and (at <= end or final)]
        said = " ".join(text[start:end].split())
        if said or near:
            cited = tuple(one for one in near if isinstance(one, Citation))
            yield CitedSentence(said, cited, any(isinstance(one, Unverified) for one in near))
        last = end
