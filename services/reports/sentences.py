"""Cuts paragraphs into sentences, each with the citations in it or behind it.

A paragraph is cut as a sequence of units: characters, and whole pieces of code, formulas, citations and marks.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, takewhile, zip_longest

from schemas.document import Break, Citation, Formula, Inline, Inlines, Link, Mark, Table, Text
from schemas.evidence import Status
from services.reports.markdown_blocks import joined
from services.text.passages import statements

CITED, _WHOLE = "\ue000", "\u02b0"
"""Characters for a citation or a mark, and for a piece of code or a formula, in the text of units."""
_AFTER_STOP = re.compile(
    rf"(?<![.!?。！？…])([.!?。！？…]++[\"'”’」』）)]*+)[ \t]*+({CITED}(?>(?:[ \t,，、]*+{CITED})*))(?>(?:[ \t]*+[.。](?![.。\w]))?)"
)
_CLOSING = "\"'”’」』"
_IDLE_BLANKS = re.compile(r"(?<![ \t])[ \t]++(?=[.,;:!?](?![\w./])|[。，；：！？)）]|$)")
_STOP = re.compile(r"[.!?。！？…]{1,3}\Z")
_END = re.compile(r"[.!?。！？…]{0,3}[\"'”’」』）)]{0,3}$")

Units = Sequence[Inline]


def units_of(content: Inlines) -> list[Inline]:
    """Return inlines with each character of a text by itself; units stay as they are."""
    units: list[Inline] = []
    for inline in content:
        if isinstance(inline, Text) and "code" not in inline.styles and len(inline.text) != 1:
            known = {char: Text(char, inline.styles) for char in set(inline.text)}
            units += map(known.__getitem__, inline.text)
        else:
            units.append(inline)
    return units


def text_of(units: Units) -> str:
    """Return the text of units, one character each."""
    return "".join(map(_character, units))


def _character(unit: Inline) -> str:
    if isinstance(unit, Text):  # most are
        return _WHOLE if "code" in unit.styles else unit.text
    return CITED if isinstance(unit, Citation | Mark) else "\n" if isinstance(unit, Break) else _WHOLE


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
    for match in _AFTER_STOP.finditer(text_of(line)):
        stop, cited = line[slice(*match.span(1))], line[slice(*match.span(2))]
        blank = [] if match[1][0] in "。！？…" else [Text(" ")]
        if match[1][-1] in _CLOSING:
            continue
        units += [*line[last : match.start()], *blank, *cited, *stop, *blank]
        last = match.end()
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
        stops = units and part and (text_of(units[-1:]) in "。！？；）" or text_of(part[:1]) in "。！？")
        if units and part and not stops:
            styles = [unit.styles if isinstance(unit, Text) else frozenset() for unit in (units[-1], part[0])]
            units.append(Text(" ", frozenset.intersection(*styles) - {"code"}))
        units += part
    return joined(units)


def cited_once(content: Inlines) -> Inlines:
    """Cite the sources that consecutive sentences share only once, after the last of them, as the sign of conclusions from them."""
    sentences = sentences_of(units_of(content))
    shown: list[bool] = []
    for before, after in zip_longest(sentences, sentences[1:], fillvalue=()):
        (sources, statuses), following = _rests_on(before), _rests_on(after)
        goes_on = bool(sources) and 0 not in sources and (sources, statuses) == following
        broken = "unverified" in statuses or any(isinstance(unit, Break) for unit in (*before, *after))
        shown += [broken or not goes_on] * sum(isinstance(unit, Citation | Mark) for unit in before)
    if all(shown):
        return content
    keeps = iter(shown)
    return joined(
        trimmed(units_of(tuple(part for part in content if not isinstance(part, Citation | Mark) or next(keeps))))
    )


def _rests_on(sentence: Units) -> tuple[frozenset[int], frozenset[Status]]:
    """Return the numbers of the sources that a sentence cites, and the statuses of its marks."""
    sources = frozenset(unit.number for unit in sentence if isinstance(unit, Citation))
    return sources, frozenset(unit.status for unit in sentence if isinstance(unit, Mark))


def cited_in_head(table: Table) -> Table:
    """Cite the sources that all unmarked rows of a table share once, behind its last heading; marked rows keep their citations."""
    marked = [any(isinstance(inline, Mark) for inline in chain(*row)) for row in table.rows]
    shared = [
        {inline.number: inline for inline in chain(*row) if isinstance(inline, Citation)}
        for row, has_mark in zip(table.rows, marked, strict=True)
        if not has_mark
    ]
    if not table.header or len(shared) < 2 or any(each.keys() != shared[0].keys() for each in shared):
        return table
    if 0 in shared[0] or any(isinstance(inline, Citation) for inline in chain(*table.header)):
        return table
    *heads, last = table.header

    def bare(content: Inlines) -> Inlines:
        return joined(trimmed(units_of(tuple(inline for inline in content if not isinstance(inline, Citation)))))

    rows = zip(table.rows, marked, strict=True)
    cited = (*last, *([Text(" ")] if last and shared[0] else []), *shared[0].values())
    left = (row if has_mark else tuple(map(bare, row)) for row, has_mark in rows)
    return replace(table, header=(*heads, cited), rows=tuple(left))


def words_of(units: Iterable[Inline]) -> str:
    """Return the words of inlines as a reader sees them, without citations and marks; formulas are LaTeX between dollar signs."""
    kept = units_of(tuple(unit for unit in units if not isinstance(unit, Citation | Mark)))
    return " ".join("".join(map(_written, trimmed(kept))).split())


def _written(unit: Inline) -> str:
    match unit:
        case Text(text=text) | Link(text=text):
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
    """Remove the blanks that removed citations leave at the end and before punctuation."""
    trimmed_units = list(units)
    for match in reversed(list(_IDLE_BLANKS.finditer(text_of(units)))):
        if match.start():
            del trimmed_units[slice(*match.span())]
    return trimmed_units


def with_citations(sentence: Units, ids: Iterable[str]) -> list[Inline]:
    """Insert citations before the full stop of a sentence, behind its own citations."""
    text = text_of(sentence)
    match = _END.search(text)
    place = match.start() if match else len(text)
    close = "。" in text[place:] or text[:place].endswith(CITED)
    cited = [Citation(0, "", (key,)) for key in ids]
    return [*sentence[:place], *([] if close or not cited else [Text(" ")]), *cited, *sentence[place:]]


def with_mark(sentence: Units, mark: Mark) -> list[Inline]:
    """Insert a mark before the full stop of a sentence: behind a Chinese one, a sign seems to begin the next sentence."""
    stop = _STOP.search(text_of(sentence))
    place = stop.start() if stop else len(sentence)
    return [*sentence[:place], mark, *sentence[place:]]


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
