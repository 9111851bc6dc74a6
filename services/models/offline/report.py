"""The report without a model: the closest passages for each part of the question, from different sources, and nothing else."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from schemas.clean_text import beginning
from schemas.evidence_view import EvidenceView
from schemas.reporter import ReporterPrompt
from services.models.offline.closest import closest_passages
from services.run.ui_text import say
from services.text.code_blocks import code_blocks, is_fence
from services.text.questions import clauses_of, headline
from services.text.quotable import GAP, as_line
from services.text.spans import Span
from services.text.tables import MAX_COLUMNS, pipe_table, row_of
from services.text.terms import content, terms

_MARKUP = re.compile(r"[\\`*_\[\]<>|$&]")
"""What could be markup in a title; as a character reference it stands as it is, where `\\[` would begin a formula."""
_RULE = re.compile(r"[|\s:-]+")
"""The line below the head of a table."""
_BAR = "\\|"
"""A bar that makes no table."""
_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•#|]|\d{1,3}[.)、])\s?)|(?<=\n)(?=#)")
"""Where a paragraph, an item of a list or a heading begins."""
_QUOTES = re.compile(r"(?m)(^>.*)\n\n(?=>)")
"""A quote and the gap before the next, which makes one with it."""
MAX_SHOWN, MAX_OF_PART = 4, 3
"""Maximum passages for a question, and for each part of a question with several."""
MAX_PARTS = 6
HELD = 0.6
"""Minimum closeness of what a further search found: it must hold the name and most of what was lacking."""
LONGEST_TITLE = 200


def report(prompt: ReporterPrompt) -> str:
    """Write the report: the same short form at every depth and length."""
    evidence = [*(excerpt for finding in prompt.findings for excerpt in finding.evidence), *prompt.background]
    question = beginning(prompt.question, LONGEST_TITLE)
    title = say("closest_passages", prompt.locale, question=question)
    parts = clauses_of(prompt.question)[:MAX_PARTS]
    max_shown = MAX_SHOWN if len(parts) == 1 else MAX_OF_PART
    shown: dict[str, str] = {}
    blocks: list[str] = []
    for part in parts:
        if len(parts) > 1:
            blocks.append(f"## {headline(part)}")
        closest = closest_passages(prompt.question, evidence, max_shown + len(shown), part)
        titles = [_title_above(excerpt.quote, shown) for excerpt, _ in closest]
        if above := list(dict.fromkeys(filter(None, titles[:max_shown]))):
            blocks += [f"*{say('shown_above', prompt.locale)}*", "\n".join(f"- {title}" for title in above)]
        fresh = [excerpt for (excerpt, _), above in zip(closest, titles, strict=True) if not above][:max_shown]
        blocks += _passages(_with_rows(fresh, evidence, part), shown)
        if not closest and len(parts) > 1:
            blocks.append(say("nothing_close", prompt.locale))
    if not shown:
        return "\n\n".join([f"# {title}", say("nothing_close", prompt.locale)])
    for finding in prompt.findings:
        wishes = [] if finding.title in map(headline, parts) else clauses_of(finding.description)
        further = {
            excerpt.quote: [excerpt]
            for wish in wishes
            for excerpt, score in closest_passages(finding.description, finding.evidence, 1, wish)
            if score >= HELD and not _title_above(excerpt.quote, shown)
        }
        if further and finding.title:
            searched = say("searched_next", prompt.locale, title=finding.title)
            blocks += [f"## {searched}", *_passages([*further.values()], shown)]
    return "\n\n".join([f"# {title}", *blocks])


def _title_above(quote: str, shown: Mapping[str, str]) -> str:
    """Return the title below which a quote, or one that holds or is held by it, is shown; empty for none."""
    return next((title for other, title in shown.items() if quote in other or other in quote), "")


def _with_rows(
    excerpts: Sequence[EvidenceView], evidence: Sequence[EvidenceView], part: str
) -> list[list[EvidenceView]]:
    """Group excerpts: rows of one table are together, in their order, with all others that hold the same terms of the question."""
    rows = [view for view in evidence if row_of(view.quote)]
    groups: dict[tuple[str, ...], dict[str, EvidenceView]] = {}
    for excerpt in excerpts:
        table = (excerpt.title, excerpt.section, excerpt.columns)
        held = frozenset(content(part)).intersection(terms(excerpt.quote))
        alike = {
            row.quote: row
            for row in rows
            if held and (row.title, row.section, row.columns) == table and held.issubset(terms(row.quote))
        }
        is_row = row_of(excerpt.quote) is not None
        group = groups.setdefault(table if is_row else (excerpt.id,), {})
        group.update({excerpt.quote: excerpt, **(alike if is_row else {})})
    return [sorted(group.values(), key=lambda row: row.start) for group in groups.values()]


def _passages(groups: Sequence[Sequence[EvidenceView]], shown: dict[str, str]) -> list[str]:
    """Return the passages below their titles, and put the title of each quote into `shown`."""
    blocks: list[str] = []
    for group in groups:
        named = _MARKUP.sub(lambda match: f"&#{ord(match[0])};", _named(group[0]))
        title = f"**{named}** [{group[0].id}]"
        shown.update({excerpt.quote: title for excerpt in group})
        blocks.append(f"{title}\n\n{_quoted(group[0]) if len(group) == 1 else _rows(group)}")
    return blocks


def _rows(views: Sequence[EvidenceView]) -> str:
    cited = [[*row[:-1], f"{row[-1]} [{view.id}]"] for view in views if (row := row_of(view.quote))]
    head = row_of(views[0].columns) or [""] * len(cited[0])
    return "\n".join(pipe_table([list(head), *cited])).replace("<", "\\<")


def _named(view: EvidenceView) -> str:
    return view.title if view.section in {"", view.title} else f"{view.title} – {view.section}"


def _quoted(view: EvidenceView) -> str:
    """Return what a quote shows: its paragraphs and items without headings, its code, and its rows below the headings of their table."""
    quote = view.quote.replace(f"|{GAP}|", "|\n|")
    last = quote.rpartition("\n")[2]
    if last.startswith("|") and not last.endswith("|"):  # a row that is longer than a passage
        quote += " |"
    amid = is_fence(view.columns) or (view.columns and row_of(quote.split("\n")[0]))
    headed = f"{view.columns}\n{quote}" if amid else quote
    shown: list[str] = []
    place = 0
    for code in [*code_blocks(headed), Span(len(headed), len(headed))]:
        shown += _blocks(headed[place : code.start], view.id)
        if code.code:
            lines = [line for line in headed[code.start : code.end].splitlines() if not is_fence(line)]
            shown.append("\n".join(f"> {line}" for line in ["```", *lines, "```"]))
        place = code.end
    return _QUOTES.sub(r"\1\n>\n", "\n\n".join(shown or [f"> {as_line(quote)} [{view.id}]"]))


def _blocks(text: str, key: str) -> Iterator[str]:
    for are_rows, grouped in groupby(text.split("\n"), key=lambda line: row_of(line) is not None):
        lines = [line for line in grouped if not _RULE.fullmatch(line)]
        rows = [list(row_of(line) or ()) for line in lines] if are_rows else []
        if len(rows) > 1 and max(map(len, rows)) <= MAX_COLUMNS:
            cited = [[*row[:-1], f"{row[-1]} [{key}]"] for row in rows[1:]]
            yield "\n".join(pipe_table([rows[0], *cited])).replace("<", "\\<")
            continue
        for part in map(str.strip, _BREAK.split("\n".join(lines))):
            if part and not part.startswith("#"):
                line = part.replace("|", _BAR) if row_of(part) else as_line(part)
                yield "> {} [{}]".format(line.replace("<", "\\<"), key)  # `<expr>` is no tag
