"""The report without a model: the closest passages for each part of the question, from different sources, and nothing else."""

import re
from collections.abc import Sequence

from schemas.evidence_view import EvidenceView
from schemas.reporter import ReporterPrompt
from services.models.offline.closest import closest_passages, parts_of
from services.run.ui_text import say
from services.text.quotable import GAP, as_line
from services.text.tables import row_of

_RULE = re.compile(r"[|\s:-]+")
"""The line below the head of a table."""
_BAR = "\\|"
"""A bar that makes no table."""
_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•#|]|\d{1,3}[.)、])\s?)|(?<=\n)(?=#)")
"""Where a paragraph, an item of a list or a heading begins."""
_CODE = re.compile(r"(?ms)^[ \t]*+(```[^`\n]*+\n.*?)(?:^[ \t]*+```[ \t]*+$|\Z)")
MAX_SHOWN, MAX_OF_PART = 4, 3
"""Maximum passages for a question, and for each part of a question with several."""
MAX_PARTS = 6
HELD = 0.6
"""Minimum closeness of what a further search found: it must hold the name and most of what was lacking."""
LONGEST_TITLE = 200


def report(prompt: ReporterPrompt) -> str:
    """Write the report: the same short form at every depth and length."""
    evidence = [*(excerpt for finding in prompt.findings for excerpt in finding.evidence), *prompt.background]
    parts = parts_of(prompt.question)[:MAX_PARTS]
    shown: set[str] = set()
    blocks: list[str] = []
    for part in parts:
        passages = closest_passages(prompt.question, evidence, MAX_SHOWN if len(parts) == 1 else MAX_OF_PART, part)
        heading = [f"## {part}"] if len(parts) > 1 else []
        if passages:
            blocks += [*heading, *_passages([excerpt for excerpt, _ in passages], shown)]
        elif len(parts) > 1:
            blocks += [*heading, say("nothing_close", prompt.locale)]
    if not shown:
        return "\n\n".join([f"# {_title(prompt.question, prompt.locale)}", say("nothing_close", prompt.locale)])
    for finding in prompt.findings:
        further = [] if finding.title in parts else closest_passages(finding.title, finding.evidence, 1)
        fresh = [excerpt for excerpt, score in further if score >= HELD and excerpt.quote not in shown]
        if fresh and finding.title:
            searched = say("searched_next", prompt.locale, title=finding.title)
            blocks += [f"## {searched}", *_passages(fresh, shown)]
    return "\n\n".join([f"# {_title(prompt.question, prompt.locale)}", *blocks])


def _passages(excerpts: Sequence[EvidenceView], shown: set[str]) -> list[str]:
    shown.update(excerpt.quote for excerpt in excerpts)
    return ["\n\n".join([f"**{view.title}** [{view.id}]", _quoted(view)]) for view in excerpts]


def _quoted(view: EvidenceView) -> str:
    """Return the paragraphs and items of a quote without its headings; a row of a table with the names of its columns."""
    lines = [line.strip() for line in view.quote.replace(GAP, "\n").splitlines()]
    rows = {line: row_of(line) for line in lines if line and not _RULE.fullmatch(line)}
    names, row = row_of(view.columns), next(iter(rows.values()), None)
    if names and row and len(rows) == 1 and len(names) == len(row):
        told = ", ".join(f"{name} {cell}" for name, cell in zip(names[1:], row[1:], strict=True) if cell)
        return f"{row[0]}: {told} [{view.id}]"
    quote = view.quote.replace(GAP, "\n") if len(rows) > 1 and all(rows.values()) else view.quote
    shown = [
        block for place, text in enumerate(_CODE.split(quote)) for block in _blocks(text, view.id, code=place % 2 == 1)
    ]
    return "\n>\n".join(shown or [f"> {as_line(quote)} [{view.id}]"])


def _blocks(text: str, key: str, *, code: bool) -> list[str]:
    """Return the blocks of a quote's prose, or a block of its code."""
    if code:
        return ["\n".join(f"> {line}" for line in [*text.rstrip().splitlines(), "```"])]
    parts = [part.strip() for part in _BREAK.split(text) if not part.startswith("#") and not _RULE.fullmatch(part)]
    lines = (part.replace("|", _BAR) if row_of(part) else as_line(part) for part in parts if part)
    return ["> {} [{}]".format(line.replace("<", "\\<"), key) for line in lines]  # `<expr>` is no tag


def _title(question: str, locale: str) -> str:
    line = " ".join(question.split())
    line = line if len(line) <= LONGEST_TITLE else f"{line[:LONGEST_TITLE]}…"
    return say("closest_passages", locale, question=line)
