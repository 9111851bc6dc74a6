"""Cuts paragraphs into sentences, each with the citations in it or behind it.

A paragraph is cut as a sequence of units: characters, and whole pieces of code, formulas, citations and marks.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile, zip_longest

from schemas.document import Break, Citation, Formula, Inline, Inlines, Mark, Text
from services.reports.markdown_blocks import joined
from services.text.passages import statements

CITED, _WHOLE = "\ue000", "\u02b0"
"""Characters for a citation or a mark, and for a piece of code or a formula, in the text of units."""
_AFTER_STOP = re.compile(
    rf"(?<![.!?。！？…])([.!?。！？…]++[\"'”’」』）)]*+)[ \t]*+({CITED}(?>(?:[ \t,，、]*+{CITED})*))(?>(?:[ \t]*+[.。](?![.。\w]))?)"
)
_CLOSING = "\"'”’」』"
_IDLE_BLANKS = re.compile(r"(?<![ \t])[ \t]++(?=[.,;:!?](?![\w./])|[。，；：！？)）]|$)")
_END = re.compile(r"[.!?。！？…]{0,3}[\"'”’」』）)]{0,3}$")

Units = Sequence[Inline]


def units_of(content: Inlines) -> list[Inline]:
    """Return inlines with each character of a text by itself."""
    return [
        unit
        for inline in content
        for unit in (
            (Text(char, inline.styles) for char in inline.text)
            if isinstance(inline, Text) and "code" not in inline.styles
            else (inline,)
        )
    ]


def text_of(units: Units) -> str:
    """Return the text of units, one character each."""
    return "".join(map(_character, units))


def _character(unit: Inline) -> str:
    match unit:
        case Citation() | Mark():
            return CITED
        case Break():
            return "\n"
        case Text(text=text, styles=styles) if "code" not in styles:
            return text
    return _WHOLE


def lines_of(units: Units) -> list[list[Inline]]:
    """Cut units at hard line breaks."""
    lines: list[list[Inline]] = [[]]
    for unit in units:
        if isinstance(unit, Break):
            lines.append([])
        else:
            lines[-1].append(unit)
    return lines


def sentences_of(line: Units) -> list[list[Inline]]:
    """Cut a line into sentences; citations behind a full stop go before it, but stay behind a quotation mark that closes it.

    Of a full stop before citations and another behind them the first stays.
    """
    units: list[Inline] = []
    last = 0
    for found in _AFTER_STOP.finditer(text_of(line)):
        stop, cited = line[slice(*found.span(1))], line[slice(*found.span(2))]
        blank = [] if found[1][0] in "。！？…" else [Text(" ")]
        if found[1][-1] in _CLOSING:
            continue
        units += [*line[last : found.start()], *blank, *cited, *stop, *blank]
        last = found.end()
    units += line[last:]
    cut = [units[span.start : span.end] for span in statements(text_of(units))]
    for before, sentence in pairwise(cut):
        behind = list(takewhile(lambda unit: text_of([unit]) in f"{CITED} ", sentence))
        if CITED in text_of(behind):
            chinese = any(char in "。！？…" for char in text_of(before[-3:]))
            before += [*([] if chinese else [Text(" ")]), *(unit for unit in behind if not isinstance(unit, Text))]
            del sentence[: len(behind)]
    return cut


def join_sentences(parts: Iterable[Units]) -> Inlines:
    """Put sentences together again, with blanks where the script has them."""
    units: list[Inline] = []
    for part in parts:
        if units and part and not _joins(units[-1], part[0]):
            styles = [unit.styles if isinstance(unit, Text) else frozenset() for unit in (units[-1], part[0])]
            units.append(Text(" ", frozenset.intersection(*styles) - {"code"}))
        units += part
    return joined(units)


def cited_once(content: Inlines) -> Inlines:
    """Return a paragraph in which sentences in a row with the same sources name them once, behind the last; marked ones keep theirs."""
    sentences = sentences_of(units_of(content))
    kept: list[bool] = []
    for before, after in zip_longest(sentences, sentences[1:], fillvalue=()):
        sources = [{unit.number for unit in sentence if isinstance(unit, Citation)} for sentence in (before, after)]
        marked = any(isinstance(unit, Mark | Break) for unit in (*before, *after))
        kept += [sources[0] != sources[1] or 0 in sources[0] or marked] * sum(
            isinstance(one, Citation) for one in before
        )
    if all(kept):
        return content
    keeps = iter(kept)
    return joined(trimmed(units_of(tuple(part for part in content if not isinstance(part, Citation) or next(keeps)))))


def _joins(before: Inline, after: Inline) -> bool:
    return text_of([before]) in "。！？；）" or text_of([after]) in "。！？"


def words_of(units: Iterable[Inline]) -> str:
    """Return the words of inlines as a reader sees them, without citations and marks; formulas are LaTeX between dollar signs."""
    written = "".join(_written(unit) for unit in units)
    return _IDLE_BLANKS.sub("", " ".join(written.split()))


def _written(unit: Inline) -> str:
    match unit:
        case Text(text=text):
            return text
        case Formula(latex=latex, display=display):
            return f"$${latex}$$" if display else f"${latex}$"
        case Break():
            return " "
    return ""


def ids_in(content: Iterable[Inline]) -> list[str]:
    """Return the excerpt ids that inlines cite, each once, in order."""
    return list(dict.fromkeys(key for inline in content if isinstance(inline, Citation) for key in inline.excerpts))


def trimmed(units: Units) -> list[Inline]:
    """Return units without blanks at the end and before punctuation, as citations leave them that are taken out."""
    kept = list(units)
    for found in reversed(list(_IDLE_BLANKS.finditer(text_of(units)))):
        if found.start():
            del kept[slice(*found.span())]
    return kept


def with_citations(sentence: Units, ids: Iterable[str]) -> list[Inline]:
    """Insert citations before the full stop of a sentence, behind its own citations."""
    text = text_of(sentence)
    found = _END.search(text)
    place = found.start() if found else len(text)
    close = "。" in text[place:] or text[:place].endswith(CITED)
    cited = [Citation(0, "", (key,)) for key in ids]
    return [*sentence[:place], *([] if close or not cited else [Text(" ")]), *cited, *sentence[place:]]


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence."""

    text: str
    citations: tuple[Citation, ...]
    mark: Mark | None
    """The mark after the sentence in the report."""


def cited_sentences(content: Inlines) -> Iterator[CitedSentence]:
    """Split the content of a paragraph into sentences."""
    for sentence in sentences_of(units_of(content)):
        text = words_of(sentence)
        citations = tuple(unit for unit in sentence if isinstance(unit, Citation))
        mark = next((unit for unit in sentence if isinstance(unit, Mark)), None)
        if text or citations or mark:
            yield CitedSentence(text, citations, mark)
